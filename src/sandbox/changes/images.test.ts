import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { sha256 } from '../../tool/json.ts'
import { Images } from './images.ts'

let folder: string
let images: Images
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'images-'))
  images = new Images(folder)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Keeps a text that was last used some days ago. */
function keep(text: string, days = 0): { digest: string; path: string } {
  const digest = sha256(text)
  const path = images.put(digest, [Buffer.from(text)])
  const at = new Date(Date.now() - days * 86_400_000)
  utimesSync(path, at, at)
  return { digest, path }
}

it('gives back what was kept, compressed, in any number of pieces', () => {
  verifies('E15')
  const piece = Buffer.alloc(100_000, 'text ')
  const digest = sha256(Buffer.concat([piece, piece]))
  const path = images.put(digest, [piece, piece])
  expect(images.read(digest)).toEqual(Buffer.concat([piece, piece]))
  expect(statSync(path).size).toBeLessThan(5_000)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(images.put(digest, [])).toBe(path)
})

it('keeps an empty file', () => {
  images.put(sha256(''), [])
  expect(images.read(sha256(''))).toEqual(Buffer.alloc(0))
})

it('says of what is gone or damaged that it is not there', () => {
  verifies('E15')
  const { digest, path } = keep('text')
  writeFileSync(path, 'damaged')
  expect(images.read(digest)).toBeUndefined()
  expect(images.read(sha256('never'))).toBeUndefined()
  expect(images.has(sha256('never'))).toBe(false)
})

it('writes again what a power failure left empty', () => {
  const { digest, path } = keep('text')
  writeFileSync(path, '')
  expect(images.has(digest)).toBe(false)
  images.put(digest, [Buffer.from('text')])
  expect(images.read(digest)?.toString()).toBe('text')
})

it('forgets the oldest first', () => {
  verifies('E15')
  const [old, middle, fresh] = [keep('old', 20), keep('middle', 5), keep('fresh')] as const
  expect(images.prune({ days: 14, bytes: 1000 })).toBe(1)
  expect([old, middle, fresh].map(({ digest }) => images.has(digest))).toEqual([false, true, true])
  expect(images.prune({ days: 14, bytes: statSync(fresh.path).size })).toBe(1)
  expect([middle, fresh].map(({ digest }) => images.has(digest))).toEqual([false, true])
})

it('counts what is kept again as new', () => {
  const { digest } = keep('again', 20)
  images.put(digest, [])
  expect(images.prune()).toBe(0)
})

it('leaves nothing behind when the bytes cannot be had', () => {
  const failing = function* () {
    yield Buffer.from('x')
    throw new Error('unreadable')
  }
  expect(() => images.put(sha256('x'), failing())).toThrow('unreadable')
  expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).includes('new'))).toEqual([])
  expect(new Images(join(folder, 'none')).prune()).toBe(0)
})

it('gives back at once what goes to the disk soon, and at once what is too much to wait', () => {
  const [text, large] = [Buffer.from('text'), Buffer.alloc(17 * 1024 * 1024, 'x')]
  const others = new Images(folder)
  for (const bytes of [text, large]) {
    images.keepSoon(sha256(bytes), [bytes])
    expect(images.read(sha256(bytes))!.equals(bytes)).toBe(true)
  }
  expect([others.has(sha256(text)), others.has(sha256(large))]).toEqual([false, true])
  images.putSoon()
  expect(others.read(sha256(text))).toEqual(text)
})

it('writes for good what is also to go soon, for whoever flushes it', () => {
  const digest = sha256('text')
  images.keepSoon(digest, [Buffer.from('text')])
  expect(statSync(images.put(digest, [Buffer.from('text')])).size).toBeGreaterThan(0)
})
