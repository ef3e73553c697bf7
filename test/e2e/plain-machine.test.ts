// A machine as it comes: what .ci/run installs is out of sight, and the affected part of the suite runs there too.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from '../docs/pages.ts'
import { verifies } from '../helpers/verifies.ts'

const script = join(repository, 'scripts/without-system-parts.sh')
const parts = ['bwrap', 'nats-server', 'podman', 'docker', 'runc', 'crun', 'strace', 'busybox']

it('takes the installed parts out of sight and keeps the rest', (test) => {
  verifies('D1a')
  const seen = `for part in ${parts.join(' ')}; do for folder in /usr/local/bin /usr/sbin /usr/bin; do if [ -f "$folder/$part" ]; then echo "$part"; fi; done; done; command -v node`
  const { stdout, status } = spawnSync(script, ['sh', '-c', seen], { encoding: 'utf8' })
  if (stdout.startsWith('skipped')) test.skip(stdout.trim())
  expect({ status, lines: stdout.trim().split('\n') }).toEqual({
    status: 0,
    lines: [expect.stringMatching(/\/node$/)],
  })
})

it('is what .ci/run tests on a second time, and a failure there fails it', () => {
  verifies('D1a')
  const run = readFileSync(join(repository, '.ci/run'), 'utf8')
  expect(run).toMatch(
    /step "tests without [^"]+" \\\n {2}tests plain timeout \d+ scripts\/without-system-parts\.sh npx vitest run of "\${plain_suite\[@\]\}"/,
  )
  expect(run).toMatch(/plain_suite=\(test\/console /)
})
