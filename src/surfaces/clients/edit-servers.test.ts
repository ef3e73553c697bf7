// One entry goes into a file and out again, and not a character of the rest changes.
import fc from 'fast-check'
import { parse as parseJsonc } from 'jsonc-parser'
import { expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { verifies } from '../../../test/helpers/verifies.ts'
import { clients } from './clients.ts'
import { withServer } from './edit-servers.ts'

const entry = { command: '/bin/node', args: ['a b', 'c'], env: { A: '1' } }
const cursor = clients['cursor']!
const goose = clients['goose']!

const kept: readonly string[] = [
  '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x", "args": ["-y", "z"] }, /* why */\n  },\n}\n',
  '{\n\t"mcpServers": {\n\t\t"a": {"url": "http://x"} // last\n\t},\n\t"other": [1, 2]\n}',
  '{ "mcpServers": { "a": { "command": "x" } }, "n": 1 }\n',
  '{\r\n  "mcpServers": {\r\n    "a": {}\r\n  }\r\n}\r\n',
  '{\n  "mcpServers": {\n    "a": {}\n    // nothing more\n  }\n}\n',
  '{"mcpServers":{"a":{"command":"x"},}}',
]

it.each(kept)('keeps every character of %j', (text) => {
  verifies('D17')
  const after = withServer(text, cursor, 'toolcrib', entry)
  const read = parseJsonc(after, [], { allowTrailingComma: true })
  expect(read.mcpServers.toolcrib).toEqual(entry)
  expect(Object.keys(read.mcpServers)).toEqual(['a', 'toolcrib'])
  const again = withServer(after, cursor, 'toolcrib', { command: 'other' })
  expect(withServer(again, cursor, 'toolcrib', undefined)).toBe(text)
  expect(withServer(after, cursor, 'toolcrib', undefined)).toBe(text)
})

it.each(['', '{}', '{\n}\n', '{ "other": 1 }', '{ "mcpServers": {} }', '{\n  "mcpServers": {}\n}\n'])(
  'makes what is missing in %j',
  (text) => {
    verifies('D17')
    const errors: never[] = []
    const after = withServer(text, cursor, 'toolcrib', entry)
    expect(parseJsonc(after, errors).mcpServers).toEqual({ toolcrib: entry })
    expect(errors).toEqual([])
  },
)

it.each(['', '# mine\n', 'other: 1\n', 'extensions:\n', 'extensions: {}\n'])(
  'makes what is missing in the YAML %j',
  (text) => {
    verifies('D17')
    expect(parseYaml(withServer(text, goose, 'toolcrib', entry)).extensions).toEqual({ toolcrib: entry })
  },
)

it('takes an entry out of the middle and the front', () => {
  verifies('D17')
  const text = '{ "mcpServers": { "toolcrib": {}, "b": 2, "c": 3 } }'
  expect(parseJsonc(withServer(text, cursor, 'toolcrib', undefined)).mcpServers).toEqual({ b: 2, c: 3 })
  expect(parseJsonc(withServer(text, cursor, 'b', undefined)).mcpServers).toEqual({ toolcrib: {}, c: 3 })
})

it('keeps any JSON, however it is spaced and commented', () => {
  verifies('D17')
  const gap = fc.constantFrom('', ' ', '\n', '\n  ', ' // x\n', '/* y */', '\r\n\t')
  const key = fc.stringMatching(/^[a-z"\\ {},:/]{1,6}$/).map((word) => JSON.stringify(`k${word}`))
  const value = fc.json({ maxDepth: 1 })
  const member = fc.tuple(gap, key, gap, value, gap).map(([a, k, b, v, c]) => `${a}${k}:${b}${v}${c}`)
  const members = fc.uniqueArray(member, {
    minLength: 1,
    maxLength: 4,
    selector: (text) => /"k.*?(?<!\\)"/.exec(text)?.[0],
  })
  const texts = fc
    .tuple(members, gap, fc.boolean(), gap)
    .map(
      ([list, g, trailing, h]) => `{${g}"mcpServers":${g}{${list.join(',')}${trailing ? `,${h}` : ''}}${h}}`,
    )
  fc.assert(
    fc.property(texts, (text) => {
      const before = parseJsonc(text, [], { allowTrailingComma: true })
      const after = withServer(text, cursor, 'toolcrib', entry)
      expect(parseJsonc(after, [], { allowTrailingComma: true })).toEqual({
        mcpServers: { ...before.mcpServers, toolcrib: entry },
      })
      expect(withServer(after, cursor, 'toolcrib', undefined)).toBe(text)
    }),
    { numRuns: 300 },
  )
})

it.each([
  '# mine\nextensions:\n  dev: # keep\n    args: [-y, b]\n    type: builtin\n\n# end\nother: 1\n',
  'a: 1\nextensions:\n    dev:\n        text: |\n            two\n            lines\n',
  'extensions:\n  dev: {enabled: true}',
])('keeps every line of the YAML %j', (text) => {
  verifies('D17')
  const after = withServer(text, goose, 'toolcrib', entry)
  const ends = text.endsWith('\n') ? text : `${text}\n`
  expect(parseYaml(after)).toEqual({
    ...parseYaml(text),
    extensions: { ...parseYaml(text).extensions, toolcrib: entry },
  })
  expect(withServer(after, goose, 'toolcrib', undefined)).toBe(ends)
})
