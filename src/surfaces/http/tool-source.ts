// The files a tool is made of, as text, and saving one of them from the console. Only files its definition names are
// read or written, and never much of them.
import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Crib } from '../../crib/crib.ts'
import { shortPath } from '../../files/is-inside.ts'
import { isFileInside } from '../../files/real-path.ts'
import { writeAtomic } from '../../files/write-atomic.ts'
import { sha256 } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import type { SourceFile } from './console-types.ts'
import { HttpProblem } from './problem-json.ts'

export const maxBytes = 256 * 1024
const maxFiles = 40

export async function toolSource(crib: Crib, tool: Tool, canEdit: boolean): Promise<readonly SourceFile[]> {
  return Promise.all(
    filesOf(tool).map(async (file) => {
      const read = await readSource(file, shortPath(file, crib.root))
      const isWhole = read.text !== null && read.note === undefined
      // A file of the user's or the system's tier, or behind a link that leads out, is not the crib's to change.
      const maySave = canEdit && isWhole && isFileInside(file, crib.root)
      return maySave ? { ...read, digest: sha256(read.text!) } : read
    }),
  )
}

export interface SavedSource {
  /** As the source of the tool names it. */
  readonly path: string
  readonly text: string
  /** Of the text that was seen. */
  readonly digest: string
}

/** Puts a new text in place of a file of the tool; 409 where it is no longer what was seen. Gives its digest. */
export async function saveSource(
  crib: Crib,
  tool: Tool,
  { path, text, digest }: SavedSource,
): Promise<string> {
  const shown = await toolSource(crib, tool, true)
  const index = shown.findIndex((file) => file.path === path)
  const file = filesOf(tool)[index]
  if (file === undefined || shown[index]!.digest === undefined)
    throw new HttpProblem('FILE_NOT_FOUND', `${tool.id} has no file ${path} that can be saved here.`, {
      hint: 'Only whole text files of this crib are changed from the console.',
    })
  if (shown[index]!.digest !== digest)
    throw new HttpProblem('CONFLICT', `${path} changed since it was opened.`, {
      hint: 'Copy your text, open the file anew, then save.',
    })
  writeAtomic(file, text, statSync(file).mode & 0o777)
  return sha256(text)
}

function filesOf({ source: { file, files } }: Tool): string[] {
  return [...new Set([...(file === null ? [] : [file]), ...(files ?? [])])].slice(0, maxFiles)
}

async function readSource(file: string, path: string): Promise<SourceFile> {
  let handle: Awaited<ReturnType<typeof open>> | undefined
  try {
    handle = await open(file)
    const { size } = await handle.stat()
    const buffer = Buffer.alloc(Math.min(size, maxBytes))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0)
    const bytes = buffer.subarray(0, bytesRead)
    if (bytes.includes(0)) return { path, text: null, note: `${size} bytes, not text` }
    const text = bytes.toString('utf8')
    return size > maxBytes ? { path, text, note: `the first ${maxBytes} of ${size} bytes` } : { path, text }
  } catch (error) {
    return { path, text: null, note: (error as Error).message }
  } finally {
    await handle?.close()
  }
}
