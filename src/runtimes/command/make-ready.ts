// Everything about a call that is known right before the command would start. A real run and a dry run share
// it, so that a dry run cannot promise something else.
import { normaliseArgs } from '../../formats/tools-json/normalise-args.ts'
import type { NamedPath } from '../../sandbox/access/path-access.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import { baseEnvironment } from '../base-environment.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { chooseEntry } from './choose-entry.ts'
import { type CompiledEntry, type CompiledPlan, compilePlan } from './compile-plan.ts'
import { type BuiltCommand, emitArgv, subcommandOf } from './emit-argv.ts'
import { locateBinary, refuseUnlisted } from './locate-binary.ts'
import { pathRuleOf, workingDir } from './path-rules.ts'
import { type PreparedArg, prepareArgs, refuseDenied, type Text } from './prepare-args.ts'
import { type ResolverRecord, type Resolving, refuseDashedResolvers, resolveArg } from './resolve-args.ts'

export type Params = { readonly [name: string]: unknown }

export interface Ready {
  readonly plan: CompiledPlan
  readonly entry: CompiledEntry
  /** Absolute real path of the program; undefined only where a missing one was let pass. */
  readonly file: string | undefined
  readonly built: BuiltCommand
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  readonly resolvers: readonly ResolverRecord[]
}

export interface ReadyHooks {
  warn(message: string): void
  /** The program is not on this machine: throw, or let it pass. */
  missing(binary: string): void
  /** Told of paths that arguments name. */
  readonly reached?: (named: NamedPath) => void
}

/** Starts nothing but parameter resolvers, and those only after all that can be refused without them was. */
export async function makeReady(attempt: Attempt, env: RuntimeEnv, hooks: ReadyHooks): Promise<Ready> {
  const { tool } = attempt
  const plan = compilePlan(planOf(tool, 'command')!)
  const entry = chooseEntry(plan, () => new Set(Object.keys(normaliseArgs(attempt.args, tool))), tool.id)
  const prepared = prepareArgs(entry, attempt.params as Params, tool.id)
  refuseUnlisted(plan, entry.binary, subcommandOf(entry, prepared), tool.id)
  refuseDashedResolvers(prepared, tool.id)
  const file = locateBinary(entry.binary, tool, env)
  if (file === undefined) hooks.missing(entry.binary)
  const childEnv = baseEnvironment(env.config.skills.env)
  const resolvers: ResolverRecord[] = []
  const context = { plan, attempt, runtime: env, env: childEnv, records: resolvers, warn: hooks.warn }
  const cwd = await cwdOf(prepared, { ...context, cwd: env.spaces.project })
  const resolved = await resolveAll(prepared, { ...context, cwd })
  const built = emitArgv(entry, resolved, pathRuleOf(cwd, attempt.profile, tool.id, hooks.reached), tool.id)
  return { plan, entry, file, built, cwd, env: childEnv, resolvers }
}

async function cwdOf(prepared: readonly PreparedArg[], context: Resolving): Promise<string> {
  const { project } = context.runtime.spaces
  const mapping = prepared.find(({ arg }) => arg.kind === 'workingdir')
  if (!mapping) return project
  const { texts, arg } = await resolveArg(mapping, context)
  if (texts.length === 0) return project
  const [{ text }] = texts as readonly [Text]
  const toolId = context.attempt.tool.id
  refuseDenied(text, arg, toolId)
  return workingDir(text, project, toolId, arg.param)
}

async function resolveAll(
  prepared: readonly PreparedArg[],
  context: Resolving,
): Promise<readonly PreparedArg[]> {
  if (!prepared.some(({ arg }) => arg.resolveCommand)) return prepared
  const resolved: PreparedArg[] = []
  for (const each of prepared)
    resolved.push(each.arg.kind === 'workingdir' ? each : await resolveArg(each, context))
  return resolved
}
