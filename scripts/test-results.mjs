// What a run of the tests left, for .ci/run: its results as JSON, and beside them what it printed (results.log). Errors
// that no test caught stand only there, and fail the run all the same.
//   node scripts/test-results.mjs counts results.json   passed failed skipped uncaught
//   node scripts/test-results.mjs files results.json    the files in which something failed
//   node scripts/test-results.mjs report results.json   what failed, and how
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const [what, file] = process.argv.slice(2)
// A run that left nothing was killed: that counts as a failure.
const run = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, testResults: [] }
const failed = run.testResults.flatMap(({ name, status, message, assertionResults }) => {
  const tests = assertionResults.filter((test) => test.status === 'failed')
  if (tests.length === 0 && status !== 'failed') return []
  return [{ file: relative(process.cwd(), name), message, tests }]
})
const cut = (text) => (text ?? '').slice(0, 1_500)

const log = file.replace(/json$/, 'log')
const printed = existsSync(log) ? stripVTControlCharacters(readFileSync(log, 'utf8')) : ''
/** Each error that no test caught, with the file that was running where vitest names one. */
const uncaught = printed
  .split(/^⎯+ (?=(?:Unhandled|Uncaught|Error)\b)/m)
  .slice(1)
  .filter((text) => !/^Unhandled Errors ⎯/.test(text))
  .map((text) => ({ text, file: /error originated in "([^"]+)"/.exec(text)?.[1] }))

if (what === 'counts')
  console.log(run.numPassedTests, run.numFailedTests, run.numPendingTests, uncaught.length)
else if (what === 'files')
  for (const each of new Set([...failed, ...uncaught].map(({ file }) => file ?? 'unknown'))) console.log(each)
else {
  for (const { text, file } of uncaught)
    console.log(`FAILED ${file ?? 'in no known file'}: an error that no test caught\n  ${cut(text)}`)
  for (const { file, message, tests } of failed) {
    if (tests.length === 0) console.log(`FAILED ${file}: ${cut(message)}`)
    for (const { fullName, failureMessages } of tests)
      console.log(`FAILED ${file}: ${fullName}\n  ${cut(failureMessages[0])}`)
  }
  if (failed.length + uncaught.length === 0)
    console.log(`FAILED, and no test says why:\n${printed.slice(-3_000)}`)
}
