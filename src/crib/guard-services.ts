// What checks and wrappers may ask of a crib, put together once when it is opened.
import type { Config } from '../config/config.ts'
import type { Traits } from '../formats/format.ts'
import type { GuardServices } from '../guards/services.ts'
import { type SkillCalls, wovenOf } from '../guards/skills/skill-calls.ts'
import type { CallOptions } from '../kernel/call.ts'
import { tellOfCall } from '../runs/access-log.ts'
import type { Tool, Trust } from '../tool/tool.ts'
import { configVerifier } from '../trust/judge-file.ts'
import { judgeTool } from '../trust/judge-tool.ts'
import type { CribCore } from './crib-core.ts'
import type { Protection } from './protection.ts'
import type { Runtimes } from './runtimes.ts'

export interface GuardParts {
  readonly runtimes: Runtimes
  readonly protection: Protection
  skillCalls(): SkillCalls
  traits(tool: Tool): Traits
}

/** What checks and wrappers ask a crib; whoever reads the settings again puts them in. */
export type CribServices = GuardServices & { config: Config }

export function guardServices(
  crib: CribCore,
  { runtimes, protection, skillCalls, traits }: GuardParts,
): CribServices {
  /** The verdict on a tool with everything it is made of. */
  const trustOf = (tool: Tool): Trust =>
    judgeTool(tool, crib.trust, {
      mode: crib.config.trust,
      projectPath: crib.spaces.project,
    })
  return {
    config: crib.config,
    spaces: crib.spaces,
    get protectedSet() {
      return protection.set
    },
    setAside: crib.setAside,
    haltState: () => crib.halt.state,
    changes: crib.changed,
    traits,
    runtime: (tool) => runtimes.of(tool.runtime!.name),
    invoke: (ref, args, from) =>
      crib.kernel.invoke(ref, args, {
        principal: from.asPrincipal,
        parent: from,
        strict: from.options.strict,
      } as CallOptions),
    runRef: (given) => skillCalls().runRef(given),
    rehearseRef: (given) => skillCalls().rehearseRef(given),
    declaredBy: (tool, key) => wovenOf(crib.kernel.compose(tool))?.declaredBy[key] ?? tool,
    middleware: (tool, name) =>
      wovenOf(crib.kernel.compose(tool))?.keys.find((key) => key.name === name)?.tool,
    verifyFile: (file, bytes) => {
      configVerifier(crib.trust, crib.config.trust)(file, bytes)
      crib.lock.verifyBytes(file, bytes)
      crib.setAside.verifyBytes(file, bytes)
    },
    trustOf,
    isVouched: (tool) => crib.voucherOf(tool) !== null,
    isFolderAccepted: () => crib.folder.isAccepted,
    openAsks: () => (crib.folder.isWhole ? null : crib.folder.unaccepted(crib.asks)),
    inference: () => crib.inference(),
    driftOf: (tool) => crib.lock.driftOf(tool),
    secretsOf: (call) => crib.crumbs.secretsFor(call),
    approvals: crib.approvals,
    slot: (call) => crib.crumbs.slot(call),
    allowed: (call, reason) => crib.crumbs.runs.recordAllow(call, reason),
    record: (call) => {
      crib.crumbs.runs.recordCall(call)
      tellOfCall(call, crib.onAccess, traits)
      crib.emit('run', call)
    },
  }
}
