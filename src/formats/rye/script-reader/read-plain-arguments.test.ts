import { expect, it } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { readPlainArguments } from './read-plain-arguments.ts'

const paramsOf = (text: string, list = 'sys.argv', first = 1) =>
  readPlainArguments(text, list, first).commands[0]!.params.map(
    ({ name, type, isRequired }) => `${name} ${type}${isRequired ? '' : ' optional'}`,
  )

it.each([
  ['one that no variable is made of', 'print(len(sys.argv[1]))', ['arg1 string']],
  ['numbers', 'print(int(sys.argv[1]) * float(sys.argv[2]))', ['arg1 integer', 'arg2 number']],
  ['one before another', 'print(sys.argv[2])', ['arg1 string', 'arg2 string']],
  [
    'one with a test of how many there are',
    'if len(sys.argv) > 1: print(sys.argv[1])',
    ['arg1 string optional'],
  ],
  ['variables by their names', 'width = int(sys.argv[1])', ['width integer']],
])('reads %s', (_, text, params) => {
  verifies('D4')
  expect(paramsOf(text)).toEqual(params)
})

it('reads process.argv, which begins with two words of its own', () => {
  verifies('D4')
  expect(paramsOf('console.log(process.argv[2] ?? "x")', 'process.argv', 2)).toEqual(['arg1 string optional'])
})
