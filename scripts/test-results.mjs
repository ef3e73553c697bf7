// What a run of the tests left as JSON, for .ci/run.
//   node scripts/test-results.mjs counts results.json   passed failed skipped
//   node scripts/test-results.mjs files results.json    the files in which a test failed
//   node scripts/test-results.mjs report results.json   what failed, and how
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

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

if (what === 'counts') console.log(run.numPassedTests, run.numFailedTests, run.numPendingTests)
else if (what === 'files') for (const { file } of failed) console.log(file)
else
  for (const { file, message, tests } of failed) {
    if (tests.length === 0) console.log(`FAILED ${file}: ${cut(message)}`)
    for (const { fullName, failureMessages } of tests)
      console.log(`FAILED ${file}: ${fullName}\n  ${cut(failureMessages[0])}`)
  }
