import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { isToolError } from '../tool/tool-error.ts'
import { type DenoLookup, findDeno } from './find-deno.ts'

const installed = () => null

/** A folder with programs of these names. */
function programs(...names: string[]): string {
  const folder = tempFolder(Object.fromEntries(names.map((name) => [name, '#!/bin/sh\n'])))
  for (const name of names) chmodSync(join(folder, name), 0o755)
  return folder
}

function refusal(lookup: DenoLookup): unknown {
  try {
    return findDeno(lookup)
  } catch (error) {
    return isToolError(error) ? { code: error.code, message: error.message, hint: error.hint } : error
  }
}

it('is the program that settings name, also by a bare name of PATH', () => {
  const path = programs('deno', 'my-deno')
  expect(findDeno({ configured: join(path, 'my-deno'), path, packageDir: installed })).toBe(
    join(path, 'my-deno'),
  )
  expect(findDeno({ configured: 'my-deno', path })).toBe(join(path, 'my-deno'))
})

it('is no other one where settings name a program that is not there', () => {
  const path = programs('deno')
  expect(refusal({ configured: './deno', path })).toEqual({
    code: 'RUNTIME_MISSING',
    message: 'deno.path is "./deno", which is no program, so tools of the format tool-code cannot run.',
    hint: expect.stringContaining('deno.path'),
  })
})

it('is the binary of the npm package before that of PATH', () => {
  const path = programs('deno')
  const own = programs('deno')
  const asked: string[] = []
  const packageDir = (name: string) => {
    asked.push(name)
    return name === 'deno' ? own : null
  }
  expect(findDeno({ configured: null, path, packageDir })).toBe(join(own, 'deno'))
  expect(asked).toEqual([expect.stringMatching(/^@deno\/\w+-\w+/), 'deno'])
})

it('is that of PATH where the package has no binary, as after an install without scripts', () => {
  const path = programs('deno')
  expect(findDeno({ configured: null, path, packageDir: () => tempFolder() })).toBe(join(path, 'deno'))
})

it('is not found in an empty PATH, and the way to get it is said', () => {
  expect(refusal({ configured: null, path: '', packageDir: installed })).toMatchObject({
    code: 'RUNTIME_MISSING',
    message: expect.stringMatching(/^Deno was not found/),
    hint: expect.stringContaining('npm install deno'),
  })
})
