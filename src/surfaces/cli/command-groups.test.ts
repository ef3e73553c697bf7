import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { groupOf } from './command-groups.ts'
import { commands } from './registry.ts'

it('every command stands under a heading of the help', () => {
  verifies('D20')
  expect(commands.map(({ name }) => name).filter((name) => groupOf(name) === undefined)).toEqual([])
})
