// Problems for other programs: SARIF for code scanners, workflow commands for GitHub.
import { pathToFileURL } from 'node:url'
import { version } from '../../config/version.ts'
import { pathWithin, shortPath } from '../../files/is-inside.ts'
import type { Problem, Severity } from '../../tool/problem.ts'

const sarifLevels: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note' }
const githubLevels: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'notice' }

/** A SARIF 2.1.0 log with one run; paths inside the crib are relative to it. */
export function sarifReport(problems: readonly Problem[], root: string): object {
  const rules = [...new Set(problems.map((problem) => problem.code))].sort()
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'toolcrib', version: version(), rules: rules.map((id) => ({ id })) } },
        originalUriBaseIds: { CRIB: { uri: `${pathToFileURL(root).href}/` } },
        columnKind: 'utf16CodeUnits',
        results: problems.map((problem) => ({
          ruleId: problem.code,
          ruleIndex: rules.indexOf(problem.code),
          level: sarifLevels[problem.severity],
          message: { text: textOf(problem) },
          locations: problem.file ? [{ physicalLocation: placeOf(problem.file, problem, root) }] : undefined,
        })),
      },
    ],
  }
}

/** One workflow command per problem: an annotation at its line. */
export function githubReport(problems: readonly Problem[], root: string): string[] {
  return problems.map((problem) => {
    const properties = [
      ...(problem.file ? [`file=${property(shortPath(problem.file, root))}`] : []),
      ...(problem.line ? [`line=${problem.line}`] : []),
      ...(problem.column ? [`col=${problem.column}`] : []),
      `title=${property(problem.code)}`,
    ]
    return `::${githubLevels[problem.severity]} ${properties.join(',')}::${escaped(textOf(problem))}`
  })
}

function textOf({ message, hint }: Problem): string {
  return hint ? `${message} ${hint}` : message
}

function placeOf(file: string, { line, column }: Problem, root: string): object {
  const inside = pathWithin(file, root)
  return {
    artifactLocation: inside
      ? { uri: inside.split('/').map(encodeURIComponent).join('/'), uriBaseId: 'CRIB' }
      : { uri: pathToFileURL(file).href },
    region: line ? { startLine: line, startColumn: column || undefined } : undefined,
  }
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
