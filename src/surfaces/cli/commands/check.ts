// `toolcrib check`: validates definitions.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Option } from 'commander'
import type { CheckedSkill } from '../../../catalog/check-tools.ts'
import type { Crib } from '../../../crib/crib.ts'
import { isInside } from '../../../files/is-inside.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { githubReport, sarifReport } from '../check-report.ts'
import { codeFrame } from '../code-frame.ts'
import type { CliCommand } from '../command.ts'
import { countProblems, problemLines } from '../print-problems.ts'
import { noteStyle, outStyle, plain } from '../style.ts'

export const check: CliCommand = {
  examples: [
    ['toolcrib check', 'every definition of the crib'],
    ['toolcrib check .ai/tools/text --strict', 'one folder; warnings count as errors'],
    ['toolcrib check text/count', 'one tool'],
    ['toolcrib check --json', 'for a build server; exit 4 when there is an error'],
    ['toolcrib check --spec agentskills', 'skills as every client of the shared standard wants them'],
    [
      'toolcrib check --strict --spec capabilities',
      'fails when code touches what its definition does not say',
    ],
    ['toolcrib check --output sarif > check.sarif', 'for a code scanner'],
    ['toolcrib check --output github', 'annotations in a GitHub workflow'],
  ],
  define(command) {
    command
      .argument('[path...]', 'only definitions at or below these paths, or these tools')
      .addOption(
        new Option('--output <form>', 'how problems are written')
          .choices(['text', 'json', 'sarif', 'github'])
          .default('text'),
      )
      .addOption(
        new Option(
          '--spec <name>',
          'hold skills against a standard, or code against what definitions say',
        ).choices(['agentskills', 'capabilities']),
      )
  },
  async run(session, paths, { output, spec }) {
    const crib = await session.open()
    const places = paths.map((path) => placeOf(path, crib))
    const report = await crib.check({
      strict: session.strict,
      paths: places,
      spec: spec === 'agentskills' || spec === 'capabilities' ? spec : undefined,
    })
    const { problems } = report
    if (session.json || output === 'json') session.outJson(report)
    else if (output === 'sarif') session.out(JSON.stringify(sarifReport(problems, crib.root)))
    else if (output === 'github') for (const line of githubReport(problems, crib.root)) session.out(line)
    else {
      const isRead = process.stdout.isTTY || session.verbose
      for (const problem of problems) {
        const [head, ...rest] = problemLines([problem], outStyle)
        session.out([head, ...(isRead ? codeFrame(problem, outStyle) : []), ...rest].join('\n'))
      }
      for (const line of insideLines(report.skills, session.verbose)) session.note(noteStyle.dim(line))
      if (process.stderr.isTTY)
        for (const line of unsignedLines(crib, places)) session.note(noteStyle.dim(line))
      session.note(`${report.tools} tool${report.tools === 1 ? '' : 's'}: ${countProblems(problems)}.`)
    }
    return report.ok ? 0 : 4
  },
}

/** The file or folder to check: a path, or the file of a tool that is named. A slip of the pen is no clean bill. */
function placeOf(given: string, crib: Crib): string {
  const path = resolve(given)
  if (existsSync(path)) return path
  const file = crib.list({ all: true }).find((tool) => tool.id === given || tool.aliases.includes(given))
    ?.source.file
  if (file) return file
  throw new ToolError('TOOL_NOT_FOUND', `There is neither a file ${path} nor a tool "${given}" to check.`, {
    hint: 'Give a path from the current folder, or the id of a tool; see `toolcrib list --all`.',
  })
}

const namesShown = 12

/** D7: said here once, in place of a line with every call. */
function unsignedLines(crib: Crib, places: readonly string[]): string[] {
  if (crib.config.trust === 'off') return []
  const isChecked = (file: string | null) =>
    places.length === 0 || (file !== null && places.some((place) => isInside(file, place)))
  const own = crib
    .list({ all: true })
    .filter(
      (tool) => tool.tier === 'project' && tool.trust.status === 'unsigned' && isChecked(tool.source.file),
    )
  const [first, ...others] = own.map((tool) => plain(tool.id))
  if (first === undefined) return []
  const [who, id] = others.length === 0 ? [`${first} is`, first] : [`${own.length} tools are`, '<id>']
  return [`${who} not signed; that is fine for your own. To sign: toolcrib keys new && toolcrib sign ${id}`]
}

/** Which skills run inside this process: grants and the sandbox do not hold them, only the trust guard does. */
function insideLines(skills: readonly CheckedSkill[], isVerbose: boolean): string[] {
  const names = skills.filter((skill) => skill.inProcess).map((skill) => plain(skill.id))
  if (names.length === 0) return []
  const shown = isVerbose ? names : names.slice(0, namesShown)
  const more = names.length - shown.length
  return [
    `inProcess: true for ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    '  code of skills runs inside Toolcrib; no grant or sandbox holds it, only trust does',
  ]
}
