// One entry goes into a file and out again, and not a character of the rest changes.
import fc from 'fast-check'
import { parse as parseJsonc } from 'jsonc-parser'
import { expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { verifies } from '../../../test/helpers/verifies.ts'
import { clients } from './clients.ts'
import { serversIn, withServer } from './edit-servers.ts'

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

const codex = clients['codex']!

it.each([
  '[mcp_servers."toolcrib"]\ncommand = "x"\n\n[z]\na = 1\n',
  "[ mcp_servers . 'toolcrib' ]\ncommand = 'x'\n# of z\n[z]\na = 1\n",
  '[mcp_servers]\na = { command = "x" }\n',
  'a = 1\r\n\r\n[b]\r\nc = 2\r\n',
  '\uFEFFa = 1\n',
])('writes into the TOML %j what reads as meant', (text) => {
  verifies('D17')
  const after = withServer(text, codex, 'toolcrib', entry)
  expect(serversIn(after, codex, 'f')['toolcrib']).toEqual(entry)
  expect(after.includes('\r\n') && /[^\r]\n/.test(after)).toBe(false)
  if (!text.includes('toolcrib')) expect(withServer(after, codex, 'toolcrib', undefined)).toBe(text)
})

it('writes a name with a space', () => {
  verifies('D17')
  const after = withServer('', codex, 'my crib', entry)
  expect(serversIn(after, codex, 'f')['my crib']).toEqual(entry)
  expect(withServer(after, codex, 'my crib', undefined)).toBe('')
})

it.each([
  'mcp_servers = { a = { command = "x" } }\n',
  '[mcp_servers]\ntoolcrib = { command = "x" }\n',
  'mcp_servers.toolcrib.command = "x"\n',
  'a = """\n[mcp_servers.toolcrib]\nx\n"""\n',
])('refuses the TOML %j rather than break it', (text) => {
  verifies('D17')
  expect(() => withServer(text, codex, 'toolcrib', entry)).toThrow(/stand in a way that is not changed here/)
})

it('takes JSON as editors leave it: a byte order mark, a map of null; and refuses a map that stands twice', () => {
  verifies('D17')
  const marked = '\uFEFF{\r\n  "a": 1\r\n}\r\n'
  const after = withServer(marked, cursor, 'toolcrib', entry)
  expect(after.startsWith('\uFEFF{\r\n')).toBe(true)
  expect(serversIn(after, cursor, 'f')).toEqual({ toolcrib: entry })
  const filled = withServer('{ "mcpServers": null, "b": 1 }', cursor, 'toolcrib', entry)
  expect(JSON.parse(filled)).toEqual({ mcpServers: { toolcrib: entry }, b: 1 })
  expect(filled.match(/mcpServers/g)).toHaveLength(1)
  const twice = '{ "mcpServers": {"a":{}}, "mcpServers": {"b":{}} }'
  expect(() => withServer(twice, cursor, 'toolcrib', entry)).toThrow(/not changed here/)
})
