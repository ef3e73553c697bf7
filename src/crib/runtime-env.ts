// What runtimes may ask of a crib, put together once when it is opened.
import { resolve } from 'node:path'
import { haltedError } from '../guards/checks/halted.ts'
import type { Call } from '../kernel/call.ts'
import type { CribView } from '../runtimes/agent/crib-view.ts'
import type { RuntimeEnv } from '../runtimes/runtime.ts'
import { sha256 } from '../tool/json.ts'
import { moduleVerifier } from '../trust/judge-file.ts'
import { sealTool } from '../trust/seal-tool.ts'
import type { CribCore } from './crib-core.ts'

export function runtimeEnv(crib: CribCore, view: () => CribView): RuntimeEnv {
  return {
    get config() {
      return crib.config
    },
    spaces: crib.spaces,
    onAccess: crib.onAccess,
    supervisor: crib.supervisor,
    get fence() {
      return crib.fence
    },
    verifyFile: (file, bytes) => {
      const { system } = crib.spaces
      moduleVerifier(crib.trust, crib.config.trust, [system, resolve(system, '../src')])(file, bytes)
      crib.lock.verifyBytes(file, bytes)
      crib.setAside.verifyBytes(file, bytes)
    },
    isSetAside: (file, bytes) => crib.setAside.ofFile(file, sha256(bytes)) !== undefined,
    sealOf: (tool) =>
      sealTool(tool, {
        mode: crib.config.trust,
        lock: crib.lock,
        store: crib.trust,
        projectPath: crib.spaces.project,
      }),
    isVouched: (tool) => crib.voucherOf(tool) !== null,
    writing: crib.writing,
    serverSecret: (name, server) => crib.crumbs.secretNamed(name, `for the MCP server ${server}`),
    logins: crib.logins,
    broker: crib.crumbs.broker,
    demandGoing: () => {
      const { halted, since, by } = crib.halt.state
      if (halted) throw haltedError(since, by)
    },
    get view() {
      return view()
    },
    adopt: (tool) => {
      if (crib.catalog.inFile(tool.source.file!).length > 0) crib.catalog.setComputedSkill(tool)
    },
    followersOf: (call) => crib.followersOf(call as Call),
    pinnedBinary: (tool, binary) => crib.lock.pinnedProgram(tool, binary),
  }
}
