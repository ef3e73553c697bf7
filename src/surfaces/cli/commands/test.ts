// `toolcrib test`: runs the tools' own examples.
import { type ExampleResult, runExamples } from '../../examples/run-examples.ts'
import type { CliCommand } from '../command.ts'
import type { Session } from '../session.ts'
import { outStyle, plain } from '../style.ts'

export const test: CliCommand = {
  examples: [
    ['toolcrib test', 'every example of the project and user tools'],
    ['toolcrib test calculator', 'those of one tool'],
    ['toolcrib test --json', 'for a build server; exit 1 when any failed'],
  ],
  define(command) {
    command.argument('[ref...]', 'only these tools; default all of the crib')
  },
  async run(session, refs) {
    const crib = await session.open()
    const tools =
      refs.length > 0
        ? refs.map((ref) => crib.find(ref))
        : crib
            .list({ all: true })
            .filter((tool) => tool.tier !== 'system' && tool.kind === 'callable' && tool.state !== 'shadowed')
    const report = await runExamples(crib, tools, {
      caller: session.caller,
      signal: session.signal,
      strict: session.strict,
      onResult: (result) => {
        if (!session.json) printResult(session, result)
      },
    })
    if (session.json) session.outJson(report)
    else
      session.note(
        report.results.length === 0
          ? 'No examples. Add them to a tool, or to a file <tool>.examples.yaml beside it.'
          : `${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`,
      )
    return report.failed > 0 ? 1 : 0
  },
}

function printResult(session: Session, result: ExampleResult): void {
  const mark = result.skipped
    ? outStyle.yellow('skipped')
    : result.ok
      ? outStyle.green('passed')
      : outStyle.red('failed')
  session.out(
    `${mark} ${result.tool} ${plain(result.example)}${result.skipped ? ` (${plain(result.skipped)})` : ''}`,
  )
  if (result.ok) return
  if (result.error) session.out(`  ${result.error.code}: ${plain(result.error.message)}`)
  if ('expected' in result)
    session.out(
      `  at ${result.path || 'the result'}: expected ${JSON.stringify(result.expected)}, got ${JSON.stringify(result.actual)}`,
    )
}
