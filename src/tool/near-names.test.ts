import { expect, it } from 'vitest'
import { nearNames } from './near-names.ts'

it.each([
  ['serch', ['search', 'list', 'run'], ['search']],
  ['helo', ['utility/hello', 'utility/bye'], ['utility/hello']],
  ['hello', ['utility/hello_world'], ['utility/hello_world']],
  ['zzz', ['search', 'list'], []],
  ['s', ['q', 'name', 'src'], ['src']],

  ['ls', ['q', 'list'], ['list']],
])('for %s of %j offers %j', (wanted, names, expected) => {
  expect(nearNames(wanted, names)).toEqual(expected)
})
