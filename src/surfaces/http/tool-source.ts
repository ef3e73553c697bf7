// The files a tool is made of, as text. Only files its definition names are read, and never much of them.
import { open } from 'node:fs/promises'
import type { Crib } from '../../crib/crib.ts'
import { shortPath } from '../../files/is-inside.ts'
import type { Tool } from '../../tool/tool.ts'
import type { SourceFile } from './console-types.ts'

const maxBytes = 256 * 1024
const maxFiles = 40

export async function toolSource(crib: Crib, tool: Tool): Promise<readonly SourceFile[]> {
  const { file, files } = tool.source
  const all = [...new Set([...(file === null ? [] : [file]), ...(files ?? [])])]
  return Promise.all(all.slice(0, maxFiles).map((path) => readSource(path, shortPath(path, crib.root))))
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
