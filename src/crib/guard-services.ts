import type { Traits } from '../formats/format.ts'
import type { GuardServices } from '../guards/services.ts'
import { type SkillCalls, wovenOf } from '../guards/skills/skill-calls.ts'
import type { CallOptions } from '../kernel/call.ts'
import type { Tool, Trust } from '../tool/tool.ts'
import { configVerifier } from '../trust/judge-file.ts'
import type { judgeTool } from '../trust/judge-tool.ts'
import type { CribCore } from './crib-core.ts'
import type { Runtimes } from './runtimes.ts'

interface GuardParts {
  readonly runtimes: Runtimes
  skillCalls(): SkillCalls
  traits(tool: Tool): Traits
}

export function guardServices(crib: CribCore, { runtimes, skillCalls, traits }: GuardParts): GuardServices {
  let judge: typeof judgeTool | undefined
  /** The verdict on a tool with everything it is made of; the judge is loaded for the first call. */
  const trustOf = (tool: Tool): Trust | Promise<Trust> => {
    if (!judge)
      return import('../trust/judge-tool.ts').then(({ judgeTool }) => {
        judge = judgeTool
        return trustOf(tool)
      })
    return judge(tool, crib.trust, {
      mode: crib.config.trust,
      tools: crib.catalog.tools,
      projectPath: crib.spaces.project,
    })
  }
  return {
    get config() {
      return crib.config
    },
    spaces: crib.spaces,
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
    },
    trustOf: trustOf,
    driftOf: (tool) => crib.lock.driftOf(tool),
    secretsOf: (call) => crib.crumbs.secretsFor(call),
    approvals: crib.approvals,
    slot: (call) => crib.crumbs.place(call),
    allowed: (call, reason) => crib.crumbs.runs.recordAllow(call, reason),
    record: (call) => {
      crib.crumbs.runs.recordCall(call)
      crib.emit('run', call)
    },
  }
}
