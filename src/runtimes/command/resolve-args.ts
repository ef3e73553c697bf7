// resolveCommand: asks a helper for the value that a parameter stands for.
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import type { CompiledArg, CompiledPlan } from './compile-plan.ts'
import type { PreparedArg, Text } from './prepare-args.ts'
import { type HelperRun, runHelper } from './run-helper.ts'

/** One resolver as a dry run tells of it. */
export interface ResolverRecord {
  readonly param: string
  readonly command: readonly string[] | null
  readonly ran: boolean
  readonly before: string
  readonly after: string
}

export interface Resolving {
  readonly plan: CompiledPlan
  readonly attempt: Attempt
  readonly runtime: RuntimeEnv
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  readonly records: ResolverRecord[]
  warn(message: string): void
}

/** The argument with its texts resolved; unchanged when it asks for nothing. */
export async function resolveArg(prepared: PreparedArg, context: Resolving): Promise<PreparedArg> {
  const { arg } = prepared
  if (!arg.resolveCommand || prepared.texts.length === 0) return prepared
  const texts: Text[] = []
  for (const { text } of prepared.texts) {
    const resolved = await resolveText(text, arg, context)
    if (resolved !== undefined || !prepared.asksWithoutValue)
      texts.push({ text: resolved ?? text, isAuthors: false })
  }
  return { ...prepared, texts, asksWithoutValue: false }
}

/** Refuses, before anything starts, values the resolver itself would take for options. */
export function refuseDashedResolvers(prepared: readonly PreparedArg[], toolId: string): void {
  for (const { arg, texts } of prepared) {
    if (!arg.resolveCommand || arg.allowLeadingDash) continue
    const isExposed = arg.resolveCommand.args.some((element) => element.startsWith('$param'))
    const dashed = isExposed && texts.find(({ text }) => text.startsWith('-'))
    if (dashed)
      throw new ToolError(
        'COMMAND_ARG_REFUSED',
        `${toolId}: "${arg.param}" may not begin with "-", because its resolver would take it for an option.`,
        {
          hint: 'Use a value that does not begin with a dash; the author of the skill can allow it with allowLeadingDash.',
        },
      )
  }
}

async function resolveText(text: string, arg: CompiledArg, context: Resolving): Promise<string | undefined> {
  const helper = arg.resolveCommand!
  const run: HelperRun = {
    plan: context.plan,
    helper,
    args: helper.args.map((element) => element.split('$param').join(text)),
    cwd: context.cwd,
    env: context.env,
    input: '',
  }
  const end = await runHelper(run, context.attempt, context.runtime)
  const value = end.ok ? end.stdout.trim() : ''
  if (value === '')
    context.warn(
      `${context.attempt.tool.id}: the resolver of "${arg.param}" gave nothing, so the value stays: ${end.ok ? 'it printed nothing' : end.reason}.`,
    )
  const resolved = value === '' ? undefined : value
  context.records.push({
    param: arg.param,
    command: end.command,
    ran: end.command !== null,
    before: text,
    after: resolved ?? text,
  })
  return resolved
}
