// postProcess: gives the command's output to a helper and takes what it prints; whatever goes wrong, the output
// stays and a warning says why.
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { unpassable } from './emit-argv.ts'
import type { Params, Ready } from './make-ready.ts'
import { runHelper } from './run-helper.ts'
import { type Output, paramText } from './shape-output.ts'

export async function postProcess(
  attempt: Attempt,
  env: RuntimeEnv,
  ready: Ready,
  output: Output,
): Promise<Output> {
  const helper = ready.entry.postProcess
  if (!helper) return output
  const keep = (reason: string): Output => {
    attempt.log('warn', `${attempt.tool.id}: the output is not post-processed: ${reason}.`)
    return output
  }
  const args = argsOf(helper.args, ready, attempt.params as Params)
  if ('reason' in args) return keep(args.reason)
  const childEnv = { ...ready.env, CHAI_EXIT_CODE: String(output.exitCode) }
  const run = {
    plan: ready.plan,
    helper,
    args: args.texts,
    cwd: ready.cwd,
    env: childEnv,
    input: output.text,
  }
  const end = await runHelper(run, attempt, env)
  if (!end.ok) return keep(end.reason)
  if (end.stdout === '' && !helper.emptyIsResult) return keep('the post-processor printed nothing')
  return { ...output, text: end.stdout, isTruncated: false }
}

/** `$name` alone is a parameter; its text may no more pose as an option here than on the command line itself. */
function argsOf(
  elements: readonly string[],
  ready: Ready,
  params: Params,
): { texts: string[] } | { reason: string } {
  const texts: string[] = []
  for (const element of elements) {
    const name = element.length > 1 && element.startsWith('$') ? element.slice(1) : undefined
    const text = name === undefined ? element : paramText(params, name)
    const mayDash =
      name === undefined || ready.entry.args.some((arg) => arg.param === name && arg.allowLeadingDash)
    if (!mayDash && text.startsWith('-'))
      return { reason: `"${name}" begins with "-" and would be taken for an option` }
    const fault = unpassable(text)
    if (fault) return { reason: `${name === undefined ? 'an argument' : `"${name}"`} ${fault}` }
    texts.push(text)
  }
  return { texts }
}
