import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hasMarker } from './folder-markers.ts'

const markers = ['package.json', 'tsconfig.json']
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-markers-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('sees a file that was added between two looks, however soon', () => {
  for (let round = 0; round < 50; round++) {
    expect(hasMarker(folder, markers)).toBe(false)
    writeFileSync(join(folder, 'tsconfig.json'), '{}')
    expect(hasMarker(folder, markers)).toBe(true)
    rmSync(join(folder, 'tsconfig.json'))
  }
})

it('sees a file that was added to a folder at rest whose time was set back', async () => {
  await new Promise((resolve) => setTimeout(resolve, 150))
  const before = new Date(Date.now() - 60_000)
  expect(hasMarker(folder, markers)).toBe(false)
  writeFileSync(join(folder, 'package.json'), '{}')
  utimesSync(folder, before, before)
  expect(hasMarker(folder, markers)).toBe(true)
})

it('sees another folder under the same name', async () => {
  const other = mkdtempSync(join(tmpdir(), 'toolcrib-markers-'))
  writeFileSync(join(other, 'package.json'), '{}')
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect(hasMarker(folder, markers)).toBe(false)
  rmSync(folder, { recursive: true })
  renameSync(other, folder)
  expect(hasMarker(folder, markers)).toBe(true)
})

it('sees a file that comes into being behind a link or in a folder below', async () => {
  mkdirSync(join(folder, 'below'))
  symlinkSync('below/target.json', join(folder, 'package.json'))
  await new Promise((resolve) => setTimeout(resolve, 150))
  const deep = ['below/marker']
  expect(hasMarker(folder, markers)).toBe(false)
  writeFileSync(join(folder, 'below/target.json'), '{}')
  expect(hasMarker(folder, markers)).toBe(true)
  expect(hasMarker(folder, deep)).toBe(false)
  writeFileSync(join(folder, 'below/marker'), '')
  expect(hasMarker(folder, deep)).toBe(true)
})

it('says no of a folder that is gone', () => {
  rmSync(folder, { recursive: true })
  expect(hasMarker(folder, markers)).toBe(false)
})
