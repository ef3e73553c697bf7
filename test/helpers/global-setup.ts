// Says once, before the tests, which system parts are missing here and what is skipped because of it, and gives them a
// temporary folder of their own, which goes when they end: no test run leaves anything behind.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemParts } from './system-parts.ts'

export function setup(): () => void {
  for (const part of systemParts()) {
    if (!part.present) console.log(`skipped: tests that need ${part.name} (${part.fix})`)
  }
  const folder = mkdtempSync(join(tmpdir(), 'tc-'))
  // As the system's own: some tests run programs as another user.
  chmodSync(folder, 0o1777)
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
