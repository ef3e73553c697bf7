// `toolcrib check`: validates definitions.
import { resolve } from 'node:path'
import type { CliCommand } from '../command.ts'
import { countProblems, problemLines } from '../print-problems.ts'
import { outStyle } from '../style.ts'

export const check: CliCommand = {
  examples: [
    ['toolcrib check', 'every definition of the crib'],
    ['toolcrib check .ai/tools/deploy --strict', 'one folder; warnings count as errors'],
    ['toolcrib check --json', 'for a build server; exit 4 when there is an error'],
  ],
  define(command) {
    command.argument('[path...]', 'only definitions at or below these paths')
  },
  async run(session, paths) {
    const crib = await session.open()
    const report = await crib.check({ strict: session.strict, paths: paths.map((path) => resolve(path)) })
    if (session.json) session.outJson(report)
    else {
      for (const line of problemLines(report.problems, outStyle)) session.out(line)
      session.note(`${report.tools} tool${report.tools === 1 ? '' : 's'}: ${countProblems(report.problems)}.`)
    }
    return report.ok ? 0 : 4
  },
}
