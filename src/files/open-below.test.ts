import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inFolderBelow, inSameFolders, openBelow, readBelow } from './open-below.ts'

let base: string
let crib: string

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-open-below-')))
  crib = join(base, 'crib')
  mkdirSync(join(crib, 'a', 'b'), { recursive: true })
  mkdirSync(join(crib, '..data'))
  mkdirSync(join(base, 'outside'))
  writeFileSync(join(base, 'outside', 'file'), 'secret')
  writeFileSync(join(crib, 'a', 'file'), 'own')
  writeFileSync(join(crib, '..data', 'file'), 'key')
  symlinkSync('../outside', join(crib, 'out'))
  symlinkSync('a', join(crib, 'in'))
  symlinkSync('circle', join(crib, 'circle'))
  symlinkSync('nowhere', join(crib, 'broken'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function opened(path: string): string {
  const descriptor = openBelow(crib, path, { flags: constants.O_RDONLY | constants.O_NONBLOCK })
  try {
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

function codeOf(path: string, options?: Parameters<typeof openBelow>[2]): string | undefined {
  try {
    closeSync(openBelow(crib, path, options))
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

const openCount = () => readdirSync('/proc/self/fd').length

describe('openBelow', () => {
  it('opens a file, also below a folder named ..data', () => {
    expect(opened('a/file')).toBe('own')
    expect(opened('./a//./file')).toBe('own')
    expect(opened('..data/file')).toBe('key')
  })

  it.each([
    ['in/file', 'ELOOP'],
    ['out/file', 'ELOOP'],
    ['circle', 'ELOOP'],
    ['circle/x', 'ELOOP'],
    ['broken', 'ELOOP'],
    ['../outside/file', 'EXDEV'],
    ['a/../../outside/file', 'EXDEV'],
    ['/etc/passwd', 'EXDEV'],
    ['missing', 'ENOENT'],
    ['missing/x', 'ENOENT'],
    ['a/file/x', 'ENOTDIR'],
    ['', 'EISDIR'],
  ])('%j: %s', (path, code) => {
    expect(codeOf(path)).toBe(code)
  })

  it('makes the folders on the way only when asked to, and none through a link', () => {
    const flags = constants.O_WRONLY | constants.O_CREAT
    expect(codeOf('new/deep/file', { flags })).toBe('ENOENT')
    expect(codeOf('new/deep/file', { flags, makeFolders: true })).toBeUndefined()
    expect(existsSync(join(crib, 'new/deep/file'))).toBe(true)
    expect(codeOf('out/new/file', { flags, makeFolders: true })).toBe('ELOOP')
    expect(codeOf('broken', { flags, makeFolders: true })).toBe('ELOOP')
    expect(existsSync(join(base, 'outside/new'))).toBe(false)
    expect(existsSync(join(crib, 'nowhere'))).toBe(false)
  })

  it('never reads what lies outside and leaves no descriptor open, whatever the path', () => {
    const name = fc.constantFrom(
      'a',
      'b',
      'in',
      'out',
      'circle',
      'broken',
      'file',
      'x',
      '..data',
      '..',
      '.',
      '',
    )
    const before = openCount()
    fc.assert(
      fc.property(fc.array(name, { maxLength: 6 }), (names) => {
        const path = names.join('/')
        let text: string | undefined
        try {
          text = opened(path)
        } catch (error) {
          expect((error as NodeJS.ErrnoException).code).toMatch(/^E[A-Z]+$/)
        }
        expect(text).not.toBe('secret')
        expect(readBelow(crib, path, 100)?.toString()).not.toBe('secret')
      }),
    )
    expect(openCount()).toBe(before)
  })
})

describe('a part that is exchanged for a link', () => {
  it('after the folder was opened: the folder that was opened is meant', () => {
    const text = inFolderBelow(crib, 'a', (at) => {
      renameSync(join(crib, 'a'), join(crib, 'moved'))
      symlinkSync('../outside', join(crib, 'a'))
      return readFileSync(join(at, 'file'), 'utf8')
    })
    expect(text).toBe('own')
    unlinkSync(join(crib, 'a'))
  })

  it('again and again while it is opened: the outside is never read nor written', async () => {
    // The other thread turns `a` from the folder into a link and back as fast as it can.
    const swap = `
      const { renameSync } = require('node:fs')
      const { workerData: crib } = require('node:worker_threads')
      const turn = () => {
        for (let i = 0; i < 200; i++) {
          renameSync(crib + '/a', crib + '/folder')
          renameSync(crib + '/link', crib + '/a')
          renameSync(crib + '/a', crib + '/link')
          renameSync(crib + '/folder', crib + '/a')
        }
        setImmediate(turn)
      }
      turn()
    `
    symlinkSync('../outside', join(crib, 'link'))
    const worker = new Worker(swap, { eval: true, workerData: crib })
    await new Promise((resolve) => worker.once('online', resolve))
    const seen = new Set<string>()
    for (let i = 0; i < 5_000; i++) {
      seen.add(readBelow(crib, 'a/file', 100)?.toString() ?? 'refused')
      try {
        seen.add(opened('a/file'))
        closeSync(openBelow(crib, 'a/made', { flags: constants.O_WRONLY | constants.O_CREAT }))
      } catch (error) {
        expect(['ELOOP', 'ENOENT', 'ENOTDIR']).toContain((error as NodeJS.ErrnoException).code)
      }
    }
    await worker.terminate()
    expect(seen).toContain('own')
    expect(seen).not.toContain('secret')
    expect(readdirSync(join(base, 'outside'))).toEqual(['file'])
  })
})

describe('readBelow', () => {
  it('follows links that stay inside, and no others', () => {
    expect(readBelow(crib, 'in/file', 100)?.toString()).toBe('own')
    expect(readBelow(crib, 'a/../..data/file', 100)?.toString()).toBe('key')
    for (const path of ['out/file', '../outside/file', 'circle', 'broken', 'missing', 'a', 'a/file\0'])
      expect(readBelow(crib, path, 100)).toBeUndefined()
  })

  it('reads no more than it may, and waits for no pipe', () => {
    expect(readBelow(crib, 'a/file', 2)).toBeUndefined()
    execFileSync('mkfifo', [join(crib, 'pipe')])
    expect(readBelow(crib, 'pipe', 100)).toBeUndefined()
  })
})

describe('inSameFolders', () => {
  const descriptors = () => readdirSync('/proc/self/fd').length

  it('goes on in the folder that it began with, whatever takes its name meanwhile', () => {
    const before = descriptors()
    inSameFolders(() => {
      expect(opened('a/file')).toBe('own')
      renameSync(join(crib, 'a'), join(crib, 'was'))
      symlinkSync('../outside', join(crib, 'a'))
      expect(opened('a/file')).toBe('own')
      expect(descriptors()).toBe(before + 2)
    })
    expect(descriptors()).toBe(before)
    expect(() => opened('a/file')).toThrow('ELOOP')
  })

  it('goes through no link, and closes everything after an error', () => {
    const before = descriptors()
    for (const path of ['out/file', 'in/file', 'circle/file', 'broken/file', 'missing/file'])
      expect(() => inSameFolders(() => opened(path))).toThrow(/ELOOP|ENOENT/)
    expect(descriptors()).toBe(before)
  })

  it('keeps no more folders open than it may', () => {
    const before = descriptors()
    inSameFolders(() => {
      for (let n = 0; n < 400; n++) {
        mkdirSync(join(crib, `d${n}`))
        writeFileSync(join(crib, `d${n}/file`), `${n}`)
        expect(opened(`d${n}/file`)).toBe(`${n}`)
      }
      expect(descriptors()).toBeLessThan(before + 300)
    })
    expect(descriptors()).toBe(before)
  })
})
