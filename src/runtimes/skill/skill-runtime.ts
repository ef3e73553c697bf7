// Code skills and inline code: `fn(ctx, args)`. What nobody vouches for runs behind the fence, in a worker; the rest
// inside this process, with its rights (G13, G14).
import { readFileSync } from 'node:fs'
import { computedSkill, isComputed } from '../../formats/skill/computed-skill.ts'
import { inlineError } from '../../formats/skill/inline.ts'
import { defaultExportAt } from '../../formats/skill/read-code.ts'
import type { Enforcement } from '../../tool/outcome.ts'
import { planOf, type SkillPlan } from '../../tool/plans/runtime-plans.ts'
import type { Principal } from '../../tool/principal.ts'
import { placeOf } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import { isToolError, messageOf, ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { FencedSkills } from './fenced-skills.ts'
import { importNative } from './import-native.ts'
import { type LoadingContext, noteLoaded } from './loaded-tools.ts'
import { ModuleLoader, type SkillModule } from './module-loader.ts'
import { watchdog } from './watchdog.ts'

type SkillFunction = (ctx: object, args: unknown) => unknown

/** The part of the kernel's call that a skill gets to see. */
interface SkillCall {
  readonly context: LoadingContext
  readonly principal?: Principal
  readonly target: { readonly limitMs: number | undefined }
}

export function openSkillRuntime(env: RuntimeEnv): Runtime {
  const loader = new ModuleLoader(env.verifyFile)
  const inline = new Map<string, Promise<SkillModule>>()
  const known = new WeakSet<SkillModule>()

  function moduleOf(tool: Tool): SkillModule | Promise<SkillModule> {
    const { code, file } = skillPlan(tool)
    if (code !== undefined) {
      let module = inline.get(code)
      if (!module) {
        module = importNative(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
        inline.set(code, module)
      }
      return module
    }
    return loader.peek(file!, tool.source.digest) ?? loader.load(file!, tool.source.digest)
  }

  /** What a module says of its skill counts as soon as it is imported, however that came about. */
  function learn(tool: Tool, module: SkillModule): void {
    if (!isComputed(tool) || known.has(module)) return
    known.add(module)
    env.adopt?.(computedSkill(tool, () => module['frontmatter']))
  }

  function learnFrontmatter(tool: Tool, frontmatter: unknown): void {
    if (isComputed(tool)) env.adopt?.(computedSkill(tool, () => frontmatter))
  }

  const fenced = new FencedSkills(env, { exportError, loadError })

  return {
    name: 'skill',
    run(attempt) {
      const { context, target, principal } = attempt.call as SkillCall
      if (!mayRunInHost(attempt.tool, env, principal)) return fenced.run(attempt)
      attempt.enforced(unfenced)
      watchdog()?.begin(attempt.tool, target.limitMs)
      refuseUnfenced(attempt.tool, env)
      const found = moduleOf(attempt.tool)
      if (found instanceof Promise)
        return found.then(
          (module) => {
            learn(attempt.tool, module)
            return functionOf(module, attempt.tool, context)(context, attempt.params)
          },
          (error) => Promise.reject(loadError(attempt.tool, error)),
        )
      return functionOf(found, attempt.tool, context)(context, attempt.params)
    },
    async load(tool) {
      if (!mayRunInHost(tool, env)) return learnFrontmatter(tool, await fenced.frontmatter(tool))
      refuseUnfenced(tool, env)
      watchdog()?.begin(tool, env.config.limits.timeoutMs)
      try {
        learn(tool, await moduleOf(tool))
      } catch (error) {
        throw loadError(tool, error)
      }
    },
    ready: ({ tool }) => refuseUnfenced(tool, env),
    async plan({ tool }: Attempt) {
      const inProcess = mayRunInHost(tool, env)
      if (inProcess) refuseUnfenced(tool, env)
      return { file: skillPlan(tool).file ?? null, inProcess }
    },
    close: () => fenced.close(),
  }
}

/** Whether a skill's code may run where nothing is held back from it (G14). */
function mayRunInHost(tool: Tool, env: RuntimeEnv, principal?: Principal): boolean {
  const { host } = env.config.skills
  if (host === 'always') return true
  // A token with grants of its own never reaches code of the host.
  if (host === 'never' || principal?.grants !== undefined) return false
  return tool.tier === 'system' || isVouched(tool, env)
}

/** Signed by somebody the user trusts, or pinned in the lock: then nothing but the pinned files may be imported. */
function isVouched(tool: Tool, env: RuntimeEnv): boolean {
  return tool.trust.status === 'trusted' || (env.sealOf?.(tool)?.closed ?? null) !== null
}

/** Nothing stands between a code skill and the machine but the trust guard; the label says so. */
const unfenced: Enforcement = {
  layers: ['in-process'],
  dimensions: {
    network: 'advisory',
    read: 'advisory',
    write: 'advisory',
    subprocess: 'advisory',
    env: 'advisory',
    memory: 'advisory',
    processes: 'advisory',
    time: 'partial',
    output: 'partial',
  },
}

/** Where a fence is required, code that cannot have one runs only when somebody the user trusts vouches for it. */
function refuseUnfenced({ id, tier, trust }: Tool, { config }: RuntimeEnv): void {
  if (config.sandbox.mode !== 'required' || tier === 'system' || trust.status === 'trusted') return
  throw new ToolError(
    'SANDBOX_UNAVAILABLE',
    `${id} is a code skill: it runs inside Toolcrib, where nothing can be held back from it, and sandbox is required.`,
    { hint: `Sign it (\`toolcrib sign ${id}\`) if you vouch for it, or set sandbox: preferred.` },
  )
}

function functionOf(module: SkillModule, tool: Tool, context: SkillCall['context']): SkillFunction {
  const fn = module['default']
  // A class is a function that cannot be called; only its text tells.
  if (typeof fn !== 'function' || isClass(fn)) throw exportError(tool)
  noteLoaded(tool, { fn, module }, context)
  return fn as SkillFunction
}

const callable = new WeakSet<object>()

function isClass(fn: object): boolean {
  if (callable.has(fn)) return false
  if (/^class\b/.test(Function.prototype.toString.call(fn))) return true
  callable.add(fn)
  return false
}

function exportError(tool: Tool): ToolError {
  if (isInline(tool)) return inlineFault(tool, 'it has no default export that is a function')
  const file = skillPlan(tool).file!
  const { line, column } = defaultExportAt(file, readFileSync(file, 'utf8'))
  return new ToolError(
    'EXPORT_INVALID',
    `${tool.id}: the module has no default export that is a function (${placeOf({ file, line, column })}).`,
    {
      hint: 'Add `export default async function (ctx, args) { … }`; skills are ES modules.',
      details: { file, line, column },
    },
  )
}

function loadError(tool: Tool, error: unknown): unknown {
  if (isToolError(error)) return error
  if (isInline(tool))
    return inlineFault(tool, `${messageOf(error)} (inline code can import only node: modules)`)
  return new ToolError('LOAD_FAILED', `${tool.id} cannot be loaded: ${messageOf(error)}.`, {
    cause: error,
    hint: 'Mend the file, then call it again.',
  })
}

function isInline(tool: Tool): boolean {
  return skillPlan(tool).code !== undefined
}

function skillPlan(tool: Tool): SkillPlan {
  return planOf(tool, 'skill')!
}

function inlineFault(tool: Tool, why: string): ToolError {
  const { file, line } = tool.source
  const place = file === null ? {} : { file, ...(line === undefined ? {} : { line }) }
  return inlineError(tool.details?.ownCodeOf ?? tool.id, 'code', skillPlan(tool).code!, why, place)
}
