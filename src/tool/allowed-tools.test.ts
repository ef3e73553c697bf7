import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { type Named, parseAllowedTools, splitOutside } from './allowed-tools.ts'

function tool(id: string, tags: readonly string[] = [], format: Named['format'] = 'skill'): Named {
  return { id, tags, format }
}

function allows(list: string, id: string, args: unknown = {}): boolean {
  return parseAllowedTools(list).allows(tool(id), args)
}

describe('patterns', () => {
  it.each([
    ['file?', 'files', true],
    ['file?', 'file', false],
    ['file-[rw]*', 'file-read', true],
    ['{file-read,file-write}', 'file-read', true],
    ['{file-read,file-write}', 'file-list', false],
    ['*', 'anything/at/all', true],
    ['notes*', 'notes/search', false],
    ['a b', 'b', true],
    ['a b', 'c', false],
    ['', 'a', false],
  ])('%j on %s: %s', (list, id, expected) => {
    verifies('K39', 'S57', 'S58')
    expect(allows(list, id)).toBe(expected)
  })

  it('match tags, formats and format:id', () => {
    verifies('K39', 'S58')
    expect(parseAllowedTools('#api').allows(tool('x', ['api']), {})).toBe(true)
    expect(parseAllowedTools('#a*').allows(tool('x', ['api']), {})).toBe(true)
    expect(parseAllowedTools('rye:*').allows(tool('utility/hello', [], 'rye'), {})).toBe(true)
    expect(parseAllowedTools('rye:*').allows(tool('hello'), {})).toBe(false)
    expect(parseAllowedTools('rye:utility/hello').allows(tool('utility/hello', [], 'rye'), {})).toBe(true)
    expect(parseAllowedTools('rye:utility/*').allows(tool('utility/a/b', [], 'rye'), {})).toBe(false)
  })
})

describe('conditions', () => {
  it.each([
    ['a(mode=ro)', { mode: 'ro' }, true],
    ['a(mode=ro)', { mode: 'rw' }, false],
    ['a(mode=ro)', {}, false],
    ['a(mode=ro)', { mode: { x: 1 } }, false],
    ['a(mode = ro)', { mode: 'ro' }, true],
    ['a(op={get,list})', { op: 'list' }, true],
    ['a(op={get,list})', { op: 'put' }, false],
    ['a(path=docs/**)', { path: 'docs/x/y.md' }, true],
    ['a(path=docs/**)', { path: 'docs/../y' }, false],
    ['a(path=docs/**)', { path: '..' }, false],
    ['a(n=3)', { n: 3 }, true],
    ['a(on=true)', { on: true }, true],
    ['a(o.p=x)', { o: { p: 'x' } }, true],
    ['a(list=x*)', { list: ['x1', 'x2'] }, true],
    ['a(list=x*)', { list: ['x1', 'y'] }, false],
    ['a(list=x*)', { list: [] }, false],
    ['a(mode=ro,op=get)', { mode: 'ro', op: 'put' }, false],
    ['a(text="with space, and comma")', { text: 'with space, and comma' }, true],
  ])('%s with %j: %s', (list, args, expected) => {
    verifies('K23', 'K53', 'S57', 'S59')
    expect(allows(list, 'a', args)).toBe(expected)
  })

  it('in parentheses do not split entries', () => {
    verifies('K53', 'S57')
    expect(splitOutside('a(mode = ro) b', ' ')).toEqual(['a(mode = ro)', 'b'])
    expect(allows('a(mode = ro) b', 'b')).toBe(true)
  })
})

describe('denials', () => {
  it.each([
    ['b($deny)', 'b', {}, false],
    ['b($deny)', 'c', {}, true],
    ['b($deny) *', 'b', {}, false],
    ['* b($deny)', 'b', {}, false],
    ['* b($deny)', 'c', {}, true],
    ['b(op=rm,$deny) *', 'b', { op: 'rm' }, false],
    ['b(op=rm,$deny) *', 'b', { op: 'ls' }, true],
    ['b(op=rm,$deny) *', 'b', { op: ['ls', 'rm'] }, false],
    ['b(path=etc/**,$deny) *', 'b', { path: 'etc/../etc/x' }, false],
  ])('%s on %s with %j: %s', (list, id, args, expected) => {
    verifies('K23', 'K53', 'S59', 'S60')
    expect(allows(list, id, args)).toBe(expected)
  })
})

describe('other dialects', () => {
  it('report nothing and allow nothing they cannot check', () => {
    verifies('S61')
    const list = parseAllowedTools('Bash(git add:*) Read')
    expect(list.fault).toBe(null)
    expect(list.allows(tool('Bash'), { command: 'git add .' })).toBe(false)
    expect(list.allows(tool('Read'), {})).toBe(true)
    expect(allows('Bash(git:*,$deny) *', 'Bash')).toBe(false)
    expect(allows('a($note)', 'a')).toBe(true)
  })

  it.each([['a(b'], ['a)'], ['a["x]'], ['a({)}']])('%s is a fault and allows nothing', (text) => {
    verifies('S57')
    const list = parseAllowedTools(text)
    expect(list.fault).toContain(text)
    expect(list.allows(tool('a'), {})).toBe(false)
    expect(list.couldAllow(tool('a'))).toBe(false)
  })
})

describe('lists', () => {
  it.each([
    ['a(mode=ro)', true],
    ['a(git:*)', false],
    ['b', false],
    ['b($deny)', true],
    ['a($deny) *', false],
    ['a(op=rm,$deny) *', true],
  ])('with %s show a: %s', (list, expected) => {
    verifies('S63')
    expect(parseAllowedTools(list).couldAllow(tool('a'))).toBe(expected)
  })

  it('show every tool a call of which they allow', () => {
    const word = fc.constantFrom('a', 'b', 'file-read', '*', 'f*', '#t', 'skill:a')
    const item = fc.constantFrom('', '(x=1)', '($deny)', '(x=1,$deny)', '(y:z)')
    const list = fc.array(
      fc.tuple(word, item).map((pair) => pair.join('')),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(list, fc.constantFrom('a', 'b', 'file-read'), fc.constantFrom(1, 2), (entries, id, x) => {
        const parsed = parseAllowedTools(entries.join(' '))
        const named = tool(id, ['t'])
        if (parsed.allows(named, { x })) expect(parsed.couldAllow(named)).toBe(true)
      }),
    )
  })

  it('never throw, whatever is written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.anything(), (text, args) => {
        const parsed = parseAllowedTools(text)
        parsed.couldAllow(tool('a'))
        expect(typeof parsed.allows(tool('a'), args)).toBe('boolean')
      }),
    )
  })

  it('mean the same in any order of entries', () => {
    verifies('S60')
    const entry = fc.constantFrom('a', 'b', '*', 'b($deny)', 'a(x=1)', 'a(x=2,$deny)')
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 5 }), fc.constantFrom('a', 'b', 'c'), (entries, id) => {
        const given = { x: 1 }
        expect(allows([...entries].reverse().join(' '), id, given)).toBe(allows(entries.join(' '), id, given))
      }),
    )
  })
})
