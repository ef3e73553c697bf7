// The result of one example, as people read it.
import type { ExampleResult } from '../examples/run-examples.ts'
import { outStyle, plain } from './style.ts'

export function exampleResultLines(result: ExampleResult, style = outStyle): string[] {
  const mark = result.skipped
    ? style.yellow('skipped')
    : result.ok
      ? style.green('passed')
      : style.red('failed')
  const lines = [
    `${mark} ${result.tool} ${plain(result.example)}${result.skipped ? ` (${plain(result.skipped.split('\n', 1)[0]!)})` : ''}`,
  ]
  if (result.ok) return lines
  if (result.error) lines.push(`  ${result.error.code}: ${plain(result.error.message)}`)
  if (result.error?.hint) lines.push(`  ${plain(result.error.hint)}`)
  if ('expected' in result)
    lines.push(
      `  at ${result.path || 'the result'}:`,
      `    expected ${JSON.stringify(result.expected)}`,
      `    got      ${JSON.stringify(result.actual)}`,
    )
  return lines
}
