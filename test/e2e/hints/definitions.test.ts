// Each hint of a definition, followed: the files are changed as it says, once, and then `check` says nothing new and
// nothing of what it said.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCrib } from '../../../src/index.ts'
import { hintFor } from '../../../src/tool/problem-hints.ts'
import { saysHint } from '../../helpers/source-hints.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import {
  otherDefinitions,
  ryeDefinitions,
  skillDefinitions,
  toolCodeDefinitions,
  toolsJsonDefinitions,
} from './definitions.ts'
import { put } from './put.ts'

it.each(
  Object.entries({
    ...ryeDefinitions,
    ...toolCodeDefinitions,
    ...toolsJsonDefinitions,
    ...skillDefinitions,
    ...otherDefinitions,
  }),
)('%s', async (text, [broken, fixed, mayStay = []]) => {
  const home = tempFolder()
  const root = join(home, 'crib')
  mkdirSync(root)
  const env = { PATH: process.env['PATH'], HOME: join(root, 'home'), TOOLCRIB_TRUST_FOLDER: '1' }
  const problemsNow = async () => {
    await using crib = await openCrib({ root, env, cache: false })
    const { problems } = await crib.check()
    return problems.map(({ code, file, message, hint }) => ({ code, file, message, hint }))
  }
  put(root, broken)
  const before = await problemsNow()
  const isMeant = ({ hint }: { hint: string }) => saysHint({ file: '', text }, hint)
  expect(before.some(isMeant), JSON.stringify(before, null, 1)).toBe(true)
  // What is said where nobody knows better says nothing.
  expect(before.filter(({ hint }) => !hint || hint === hintFor(''))).toEqual([])
  put(root, fixed)
  const kept = before.filter((problem) => !isMeant(problem)).map(({ message }) => message)
  const left = await problemsNow()
  expect(left.filter(({ code, message }) => !kept.includes(message) && !mayStay.includes(code))).toEqual([])
})
