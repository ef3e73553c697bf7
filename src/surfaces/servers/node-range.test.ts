import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { isInNodeRange } from './node-range.ts'

it.each([
  [
    '^20.19.0 || ^22.12.0 || >=23',
    ['20.19.0', '20.20.2', '22.12.0', '23.0.0', '25.1.0'],
    ['18.0.0', '20.18.9', '21.0.0', '22.11.0'],
  ],
  ['>=18', ['18.0.0', '20.1.0'], ['17.9.9']],
  ['>= 20.10 < 23', ['20.10.0', '22.9.0'], ['20.9.0', '23.0.0']],
  ['20.x', ['20.0.0', '20.9.1'], ['19.9.9', '21.0.0']],
  ['~20.11.1', ['20.11.1', '20.11.9'], ['20.11.0', '20.12.0']],
  ['18 - 22', ['18.0.0', '22.9.9'], ['17.0.0', '23.0.0']],
  ['>20', ['21.0.0'], ['20.9.0']],
  ['<=20', ['20.9.0'], ['21.0.0']],
  ['v20.1.0', ['20.1.0'], ['20.1.1']],
  ['*', ['1.0.0'], []],
  ['', ['1.0.0'], []],
  ['whatever you have', ['1.0.0'], []],
])('reads %j as npm does', (range, inside, outside) => {
  verifies('D9')
  expect(inside.filter((version) => !isInNodeRange(version, range))).toEqual([])
  expect(outside.filter((version) => isInNodeRange(version, range))).toEqual([])
})
