// The whole way from parameters to argv for an entry without resolvers: pure, so it can be tested by the million.
import type { CommandEntry } from '../../tool/plans/command-plan.ts'
import { compilePlan } from './compile-plan.ts'
import { type BuiltCommand, emitArgv, type PathRule } from './emit-argv.ts'
import { prepareArgs } from './prepare-args.ts'

const noPaths: PathRule = (text) => text

/**
 * @example
 * buildArgv({ binary: 'git', subcommand: 'log', args: [{ kind: 'flag', param: 'n', option: '-n' }] }, { n: 3 }).argv
 * // ['log', '-n', '3']
 */
export function buildArgv(
  entry: CommandEntry,
  params: { readonly [name: string]: unknown },
  toolId = 'tool',
  pathRule: PathRule = noPaths,
): BuiltCommand {
  const compiled = compiledEntry(entry)
  return emitArgv(compiled, prepareArgs(compiled, params, toolId), pathRule, toolId)
}

function compiledEntry(entry: CommandEntry) {
  return compilePlan({ skill: '', skillDir: '', allowlist: {}, entries: [entry] }).entries[0]!
}
