import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { realDisk, writeNew } from './disk.ts'

it('writes every byte, and leaves holes where long pieces are zeros', () => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [zeros, text] = [Buffer.alloc(1024 * 1024), Buffer.from('text')]
  for (const [index, pieces] of [
    [zeros, text, zeros],
    [text, zeros, Buffer.concat([zeros, text]), Buffer.alloc(70_000)],
    [zeros],
    [],
  ].entries()) {
    const path = join(folder, String(index))
    writeNew(realDisk, path, pieces)
    expect(readFileSync(path).equals(Buffer.concat(pieces))).toBe(true)
  }
  expect(statSync(join(folder, '2')).blocks * 512).toBeLessThan(zeros.length / 4)
})
