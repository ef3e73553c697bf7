// Example results as JUnit XML, which build servers read.
import type { ExampleReport, ExampleResult } from './run-examples.ts'

/** One test suite per tool. */
export function junitXml(report: ExampleReport): string {
  const tools = [...new Set(report.results.map((result) => result.tool))]
  const seconds = (results: readonly ExampleResult[]) =>
    (results.reduce((sum, { ms }) => sum + (ms ?? 0), 0) / 1000).toFixed(3)
  const counts = (results: readonly ExampleResult[]) =>
    `tests="${results.length}" failures="${results.filter((result) => !result.ok).length}" skipped="${results.filter((result) => result.skipped !== undefined).length}" time="${seconds(results)}"`
  const suites = tools.map((tool) => {
    const results = report.results.filter((result) => result.tool === tool)
    return `  <testsuite name="${escaped(tool)}" ${counts(results)}>\n${results.map(testCase).join('\n')}\n  </testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="toolcrib" ${counts(report.results)}>\n${suites.join('\n')}${suites.length > 0 ? '\n' : ''}</testsuites>\n`
}

function testCase(result: ExampleResult): string {
  const open = `    <testcase classname="${escaped(result.tool)}" name="${escaped(result.example)}" time="${((result.ms ?? 0) / 1000).toFixed(3)}"`
  if (result.skipped !== undefined)
    return `${open}>\n      <skipped message="${escaped(result.skipped)}"/>\n    </testcase>`
  if (result.ok) return `${open}/>`
  const message = result.error
    ? `${result.error.code}: ${result.error.message}`
    : 'another result was expected'
  const detail =
    'expected' in result
      ? `at ${result.path || 'the result'}: expected ${JSON.stringify(result.expected)}, got ${JSON.stringify(result.actual)}`
      : message
  return `${open}>\n      <failure message="${escaped(message)}">${escaped(detail)}</failure>\n    </testcase>`
}

/** Text that XML 1.0 allows, its own signs written as entities. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
}
