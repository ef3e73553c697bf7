import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { parseJsonWithPositions } from './json-with-positions.ts'

describe('parseJsonWithPositions', () => {
  it('gives what JSON.parse gives, for any JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent)
        expect(parseJsonWithPositions(spaced).value).toEqual(JSON.parse(spaced))
      }),
    )
  })

  it('accepts and refuses the same texts as JSON.parse', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'nul',
      ' ',
      '\\',
      '\n',
      '\\u00e9',
      '\t',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('')
        let native = true
        try {
          JSON.parse(text)
        } catch {
          native = false
        }
        expect(parseJsonWithPositions(text).faults.every((fault) => fault.kind === 'duplicate-key')).toBe(
          native,
        )
      }),
      { numRuns: 2000 },
    )
  })

  it('knows the line and column of every key and value', () => {
    const document = parseJsonWithPositions('{\n  "a": [1,\n    {"b/c": true}]\n}')
    expect(document.keyAt('/a')).toEqual({ line: 2, column: 3 })
    expect(document.valueAt('/a')).toEqual({ line: 2, column: 8 })
    expect(document.valueAt('/a/1')).toEqual({ line: 3, column: 5 })
    expect(document.keyAt('/a/1/b~1c')).toEqual({ line: 3, column: 6 })
    expect(document.valueAt('/a/1/nothing')).toEqual({ line: 3, column: 5 })
  })

  it.each([
    ['{"a": }', 'syntax', 1, 7],
    ['{\n "a": 1\n "b": 2}', 'syntax', 3, 2],
    ['[1,]', 'syntax', 1, 4],
    ['{"a": 1} x', 'syntax', 1, 10],
    ['["a\nb"]', 'syntax', 1, 4],
    ['', 'syntax', 1, 1],
    ['[1', 'syntax', 1, 3],
    ['{"a": {', 'syntax', 1, 8],
    ['{"a": 1.}', 'syntax', 1, 8],
    ['["a\\x"]', 'syntax', 1, 4],
    ['[1, // one\n2]', 'syntax', 1, 5],
    ['{"a": 1, "a": 2}', 'duplicate-key', 1, 10],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'too-deep', 1, 65],
    [`"${'x'.repeat(1_048_576)}"`, 'too-large', 1, 1],
  ])('reports %j', (text, kind, line, column) => {
    verifies('T14')
    expect(parseJsonWithPositions(text).faults).toMatchObject([{ kind, line, column }])
  })

  it('says what was expected where the text ends, whatever is still open', () => {
    const messageOf = (text: string) => parseJsonWithPositions(text).faults[0]!.message
    expect(messageOf('[1')).toBe('expected "," or "]", found the end of the file')
    expect(messageOf('{"a": {')).toBe('expected a key in double quotes, found the end of the file')
    expect(messageOf('{"a"')).toBe('expected ":", found the end of the file')
  })

  it('takes 64 levels, a byte order mark and __proto__ as data', () => {
    verifies('T14')
    expect(parseJsonWithPositions(`${'['.repeat(64)}${']'.repeat(64)}`).faults).toEqual([])
    const { value } = parseJsonWithPositions('\uFEFF{"__proto__": {"polluted": 1}}')
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})
