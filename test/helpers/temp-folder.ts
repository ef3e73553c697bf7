// A folder that is gone after the test, and files in it by path.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Makes a folder with the given files; it is removed when the test ends. */
export function tempFolder(files: { readonly [path: string]: string | Uint8Array } = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  writeFiles(root, files)
  return root
}

export function writeFiles(root: string, files: { readonly [path: string]: string | Uint8Array }): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}
