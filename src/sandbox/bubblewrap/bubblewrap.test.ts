import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { systemCallFilter } from '../system-calls.ts'
import { probeBubblewrap } from './bubblewrap.ts'

const folder = mkdtempSync(join(tmpdir(), 'probe-'))
afterAll(() => rmSync(folder, { recursive: true }))

function program(name: string, script: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

it('says in the words of bubblewrap why it cannot be used', () => {
  verifies('C121')
  const broken = program('broken', 'echo "bwrap: No permissions to create new namespace" >&2; exit 1')
  expect(probeBubblewrap(undefined, broken)).toEqual({
    reason: 'bwrap is installed and does not work here: bwrap: No permissions to create new namespace',
  })
})

it('does not believe a program that ends well and runs nothing', () => {
  expect(probeBubblewrap(undefined, program('liar', 'exit 0')).found).toBeUndefined()
})

it('falls back to what works: no user namespace, no /proc, no filter', () => {
  const partly = program(
    'partly',
    `for arg; do case $arg in --unshare-user|--proc|--seccomp) exit 1;; --version) echo bubblewrap 0.11.0; exit;; esac; done; echo inside`,
  )
  expect(probeBubblewrap(undefined, partly).found).toMatchObject({
    path: partly,
    version: '0.11.0',
    userNamespace: false,
    proc: false,
    seccomp: false,
  })
})

it('says that it is not installed', () => {
  expect(probeBubblewrap(undefined, null)).toEqual({ reason: 'bwrap is not installed' })
})

it('remembers a success on disk and a failure not at all', () => {
  const cache = join(folder, 'cache', 'layers.json')
  const failing = program('failing', 'exit 1')
  probeBubblewrap(cache, failing)
  expect(existsSync(cache)).toBe(false)
  const count = join(folder, 'count')
  const working = program(
    'working',
    `echo x >> ${count}; case $1 in --version) echo bubblewrap 0.8.0;; *) echo inside;; esac`,
  )
  const first = probeBubblewrap(cache, working)
  expect(first.found?.version).toBe('0.8.0')
  const runs = readFileSync(count, 'utf8')
  expect(probeBubblewrap(cache, working).found).toMatchObject({ ...first.found, start: expect.any(Function) })
  expect(readFileSync(count, 'utf8')).toBe(runs)
})

it('probes again when the cache is corrupt or says something else', () => {
  const cache = join(folder, 'corrupt.json')
  writeFileSync(cache, '{"broken')
  const working = program('again', 'case $1 in --version) echo bubblewrap 0.8.0;; *) echo inside;; esac')
  expect(probeBubblewrap(cache, working).found?.path).toBe(working)
})

it('has a filter for the architectures whose numbers it knows', () => {
  expect(systemCallFilter('x64')!.length % 8).toBe(0)
  expect(systemCallFilter('arm64')!.length).toBeLessThan(systemCallFilter('x64')!.length)
  expect(systemCallFilter('riscv64')).toBeUndefined()
})
