// Code skills and inline code: `fn(ctx, args)`. What nobody vouches for runs behind the fence, in a worker; the rest
// inside this process, with its rights (G13, G14), unless its code changes files: a layer holds that (E1).
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
import type { Context } from './context.ts'
import { FrontmatterFault } from './fenced/calling.ts'
import { hasLive, liveRefusal } from './fenced/carrier.ts'
import { FencedSkills } from './fenced/fenced-skills.ts'
import { importNative } from './import-native.ts'
import { type LoadingContext, noteLoaded } from './loaded-tools.ts'
import { ModuleLoader, type SkillModule } from './module-loader.ts'
import { runsInHost } from './runs-in-host.ts'
import { VouchedCode } from './vouched-code.ts'
import { watchdog } from './watchdog.ts'

type SkillFunction = (ctx: object, args: unknown) => unknown

/** The part of the kernel's call that a skill gets to see. */
interface SkillCall {
  readonly context: LoadingContext & Context
  readonly principal?: Principal
  readonly target: { readonly limitMs: number | undefined }
}

export function openSkillRuntime(env: RuntimeEnv): Runtime {
  const loader = new ModuleLoader()
  const vouched = new VouchedCode(env)
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
    return (
      loader.peek(file!, tool.source.digest) ??
      loader.load(file!, tool.source.digest, () => vouched.verifier(tool))
    )
  }

  /** What a module says of its skill counts as soon as it is imported, however that came about. */
  function learn(tool: Tool, module: SkillModule): void {
    if (!isComputed(tool) || known.has(module)) return
    known.add(module)
    env.adopt?.(computedSkill(tool, () => module['frontmatter']))
  }

  /** The same where the module is imported behind the fence. */
  async function learnFrontmatter(tool: Tool, load: () => Promise<unknown>): Promise<void> {
    const frontmatter = await load().catch((error) => {
      if (error instanceof FrontmatterFault) return error
      throw error
    })
    if (!isComputed(tool)) return
    env.adopt?.(
      computedSkill(tool, () => {
        if (frontmatter instanceof FrontmatterFault) throw frontmatter
        return frontmatter
      }),
    )
  }

  const rules = {
    get config() {
      return env.config
    },
    isVouched: (tool: Tool) => vouched.holds(tool),
    writes: (tool: Tool) => env.writing?.writes(tool) ?? false,
  }
  const fenced = new FencedSkills(env, {
    exportError,
    loadError,
    runsInHost: (tool, principal) => runsInHost(tool, rules, principal),
  })

  return {
    name: 'skill',
    run(attempt) {
      const { context, target, principal } = attempt.call as SkillCall
      const isVouched = env.config.skills.host === 'vouched' && vouched.holds(attempt.tool)
      const reading = isVouched ? env.writing?.ready(attempt.tool) : undefined
      if (reading) return reading.then(() => this.run(attempt))
      // What must be held cannot run in here, where nothing holds it.
      if (attempt.changes?.mustHold || !runsInHost(attempt.tool, rules, principal)) {
        if (isVouched) vouched.demand(attempt.tool)
        return fenced.run(attempt)
      }
      attempt.enforced(unfenced)
      if (hasLive()) refuseLive(context)
      watchdog()?.begin(attempt.tool, target.limitMs)
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
      if (!runsInHost(tool, rules)) return learnFrontmatter(tool, () => fenced.frontmatter(tool))
      watchdog()?.begin(tool, env.config.limits.timeoutMs)
      try {
        learn(tool, await moduleOf(tool))
      } catch (error) {
        throw loadError(tool, error)
      }
    },
    async plan({ tool, call }: Attempt) {
      const inProcess = runsInHost(tool, rules, (call as SkillCall).principal)
      return { file: skillPlan(tool).file ?? null, inProcess }
    },
    close: () => fenced.close(),
  }
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
    effects: 'direct',
  },
  reasons: { effects: 'its code runs inside the host' },
}

/** A skill of the host cannot be given what only lives in another skill's process. */
function refuseLive({ args, locals, nonlocals, envelope }: Context): void {
  const target = envelope.target
  const values = [args, ...Object.values(nonlocals), locals.result]
  if (target.envelope.id !== envelope.id)
    values.push(target.args, ...Object.values(target.nonlocals), target.locals.result)
  for (const value of values) {
    const refusal = liveRefusal(value, null)
    if (refusal) throw refusal
  }
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
    hint: 'Fix the file, then call it again.',
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
  const place = file === null ? {} : { file, line }
  return inlineError(tool.details?.ownCodeOf ?? tool.id, {
    tag: 'code',
    payload: skillPlan(tool).code!,
    why,
    place,
  })
}
