// Reads one file for a format, within bounds: size, UTF-8, no binary. What cannot be read becomes a problem.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileEntry, ScannedFolder, SourceFile } from '../formats/format.ts'
import { sha256 } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'

const maxBytes = 8 * 1_048_576
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Thrown by the reader; the catalog reports the problem and goes on. */
export class UnreadableFile extends Error {
  readonly problem: Problem

  constructor(code: string, file: string, what: string, hint: string) {
    super(`${file} ${what}.`)
    this.problem = { code, severity: 'error', message: this.message, hint, file, line: 1 }
  }
}

/** The file's text and digest; throws UnreadableFile. */
export function readSource(scanned: ScannedFolder, entry: FileEntry): SourceFile {
  const file = join(scanned.dir, entry.path)
  if (entry.size > maxBytes) {
    const size = Math.round(entry.size / 1_048_576)
    throw new UnreadableFile(
      'file-too-large',
      file,
      `is ${size} MiB, more than the ${maxBytes / 1_048_576} MiB a definition may have`,
      'Keep data out of tool files.',
    )
  }
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new UnreadableFile(
      'file-unreadable',
      file,
      `cannot be read: ${(error as Error).message}`,
      'Check its permissions.',
    )
  }
  if (bytes.includes(0)) {
    throw new UnreadableFile(
      'file-binary',
      file,
      'is not text (it holds NUL bytes)',
      'Remove it from the tools folder, or add it to .toolcribignore.',
    )
  }
  try {
    return { file, path: entry.path, text: decoder.decode(bytes), digest: sha256(bytes) }
  } catch {
    throw new UnreadableFile('file-encoding', file, 'is not valid UTF-8', 'Save it as UTF-8.')
  }
}
