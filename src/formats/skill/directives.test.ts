import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { expandDirectives } from './directives.ts'

const pieces = [':', '[', ']', '`', '~', '\\', '\n', ' ', 'a', 'arg']
const shout = (name: string, label: string) => (name === 'arg' ? `<${label.toUpperCase()}>` : undefined)

describe('directives', () => {
  it.each([
    ['Hi :arg[name] at 10:30', 'Hi <NAME> at 10:30'],
    [':arg[a]:arg[b]', '<A><B>'],
    ['(:arg[a])', '(<A>)'],
    [':arg[items[0].name]', '<ITEMS[0].NAME>'],
    [':arg[ a ]', '<A>'],
    ['x:arg[a] ::arg[a] é:arg[a] 5:arg[a] _:arg[a]', 'x:arg[a] ::arg[a] é:arg[a] 5:arg[a] _:arg[a]'],
    ['\\:arg[a]', ':arg[a]'],
    ['\\\\:arg[a]', '\\\\<A>'],
    ['`:arg[a]` and ``:arg[a] ` `` :arg[b]', '`:arg[a]` and ``:arg[a] ` `` <B>'],
    ['a ` alone :arg[a]', 'a ` alone <A>'],
    ['`open\n\n:arg[a]`', '`open\n\n<A>`'],
    ['```\n:arg[a]\n```\n:arg[b]', '```\n:arg[a]\n```\n<B>'],
    ['~~~~ js\n:arg[a]\n~~~\n:arg[a]\n~~~~\n:arg[b]', '~~~~ js\n:arg[a]\n~~~\n:arg[a]\n~~~~\n<B>'],
    ['```\n:arg[a] never closed', '```\n:arg[a] never closed'],
    ['http://x :unknown[a] :arg[open\n]', 'http://x :unknown[a] :arg[open\n]'],
    ['\\:unknown[a]', '\\:unknown[a]'],
    [':env[X]', ':env[X]'],
    ['', ''],
  ])('%j becomes %j', (text, expected) => {
    verifies('K40', 'S79')
    expect(expandDirectives(text, shout)).toBe(expected)
  })

  it('never looks again at what was put in', () => {
    verifies('S79')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(3), (evil, kind) => {
        const inserted = [`:arg[x]${evil}`, `\\:arg[x]${evil}`, `${evil}:env[HOME]`, evil][kind]!
        expect(expandDirectives('a :arg[x] b', () => inserted)).toBe(`a ${inserted} b`)
      }),
    )
  })

  it('leaves any text without directives as it is', () => {
    verifies('S79')
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...pieces) }), (text) => {
        fc.pre(!text.includes(':arg['))
        expect(expandDirectives(text, () => 'never')).toBe(text)
      }),
    )
  })
})
