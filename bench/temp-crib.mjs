// A folder of its own for one scenario, and what takes it away again.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function tempFolder() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-bench-')))
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}
