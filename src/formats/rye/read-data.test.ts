import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { readData } from './read-data.ts'
import { readShell } from './read-shell.ts'

const metadata = (path: string, text: string): unknown => readData(path, text).fields.get('metadata')?.value

describe('YAML', () => {
  it.each([
    ['yes', true],
    ['No', false],
    ['on', true],
    ['OFF', false],
    ['true', true],
    ['y', 'y'],
    ['n', 'n'],
    ['"yes"', 'yes'],
    ['2026-01-02', '2026-01-02'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['1.0', 1],
    ['1.0.0', '1.0.0'],
    ['~', null],
    ['{yes: 1, on: {off: no}}', { yes: 1, on: { off: false } }],
  ])('%s is %j', (source, value) => {
    verifies('R15')
    expect(metadata('x.yaml', `metadata: {a: ${source}}`)).toEqual({ a: value })
  })

  it('joins merge keys', () => {
    expect(metadata('x.yml', 'base: &b {a: 1, c: 2}\nmetadata: {<<: *b, c: 3}')).toEqual({ a: 1, c: 3 })
  })

  it.each([
    ['a repeated key', 'version: "1"\ntags: []\nversion: "2"\n', 3],
    ['a tab', 'a:\n\tb: 1\n', 2],
    ['an open bracket', 'a: [1\n', 2],
    ['a second document', 'a: 1\n---\nb: 2\n', 2],
    ['an unknown tag', 'a: 1\nb: !js/function x\n', 2],
  ])('%s is a fault with its line', (_, text, line) => {
    verifies('R9', 'R15')
    expect(readData('x.yaml', text).notes).toMatchObject([
      { code: 'metadata-parse', line: expect.any(Number) },
    ])
    expect(Math.abs(readData('x.yaml', text).notes[0]!.line - line)).toBeLessThanOrEqual(1)
  })

  it('refuses a document that grows beyond measure when aliases are expanded, or contains itself', () => {
    verifies('R9')
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let i = 1; i < 9; i++)
      bomb.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      )
    expect(readData('x.yaml', bomb.join('\n')).notes[0]?.message).toContain('aliases')
    expect(readData('x.yaml', 'a: &a [*a]').notes).toMatchObject([{ code: 'metadata-parse' }])
  })

  it('takes CONFIG_SCHEMA in upper and lower case and finds lines', () => {
    verifies('R15')
    const reading = readData(
      'x.yaml',
      '# c\nCONFIG_RESOLVE: {path: a.yaml}\nconfig_schema:\n  properties:\n    a: {type: x}\n',
    )
    expect([...reading.fields.keys()]).toEqual(['config_resolve', 'config_schema'])
    expect(reading.locate('config_schema', '/properties/a/type')).toBe(5)
    expect(reading.fields.get('config_resolve')?.line).toBe(2)
  })

  it('keeps unknown keys as raw data', () => {
    verifies('R18')
    expect(readData('x.yaml', 'x-extra: {a: 1}').unknown).toEqual({ 'x-extra': { a: 1 } })
  })
})

describe('JSON and TOML', () => {
  it('take the same fields from top-level keys', () => {
    verifies('R15')
    const value = { deprecated: true, since: '1979-05-27' }
    expect(metadata('x.json', '\uFEFF{"metadata": {"deprecated": true, "since": "1979-05-27"}}')).toEqual(
      value,
    )
    expect(metadata('x.toml', '[metadata]\ndeprecated = true\nsince = 1979-05-27\n')).toEqual(value)
  })

  it.each([
    ['x.json', '{\n  "a": 1,\n}', 3],
    ['x.json', '{"a": \n', 2],
    ['x.toml', 'a = 1\nb = = 2\n', 2],
    ['x.toml', 'a = 1\na = 2\n', 2],
  ])('%s %j is a fault on line %i', (path, text, line) => {
    verifies('R9')
    expect(readData(path, text).notes).toMatchObject([{ code: 'metadata-parse', line }])
  })

  it('find the line of a key', () => {
    expect(readData('x.toml', 'version = "1"\n\n[config]\nurl = "x"\n').locate('config', '/url')).toBe(4)
    expect(readData('x.json', '{\n"config": {\n"url": 1}}').locate('config', '/url')).toBe(3)
  })
})

describe('shell', () => {
  const script = `#!/bin/bash
# Deploys things.

# @version 1.0.0
# @tool_type script
# @executor_id subprocess
# @category ops
# @description Deploys a service
# @requires fs.write, net.http
# @param {string} name - Service
# @param {float} [ratio=0.5] - Share
# @param {string[]} [hosts=["a"]] - Where
# @param {boolean} [dry=maybe] - Only look
# @param {Weird} [odd] - Anything
# @timeout 30
# @CONFIG_RESOLVE {"path": "ops.yaml"}
echo hi
# @version 9.9.9
`

  it('states every field in tags at its head', () => {
    verifies('R13', 'R14')
    const fields = Object.fromEntries(
      [...readShell(script).fields].map(([name, field]) => [name, field.value]),
    )
    expect(fields).toMatchObject({
      version: '1.0.0',
      tool_type: 'script',
      executor_id: 'subprocess',
      category: 'ops',
      description: 'Deploys a service',
      requires: ['fs.write', 'net.http'],
      timeout: 30,
      config_resolve: { path: 'ops.yaml' },
    })
    expect(fields['parameters']).toMatchObject([
      { name: 'name', type: 'string', required: true, description: 'Service' },
      { name: 'ratio', type: 'number', required: false, default: 0.5 },
      { name: 'hosts', type: 'array', items: { type: 'string' }, default: ['a'] },
      { name: 'dry', type: 'boolean', default: 'maybe' },
      { name: 'odd', required: false },
    ])
  })

  it('warns of a type it does not know and of a value that is no JSON', () => {
    verifies('R13', 'R14')
    expect(readShell(script).notes).toMatchObject([{ code: 'param-type-unknown', line: 14 }])
    expect(readShell('# @timeout soon\n').notes).toMatchObject([{ code: 'metadata-parse', line: 1 }])
    // A name that every object of JavaScript has is no type either.
    const inherited = readShell('# @param {constructor} a - A\n# @param {toString[]} b - B\n')
    expect(inherited.notes).toMatchObject([
      { code: 'param-type-unknown', line: 1 },
      { code: 'param-type-unknown', line: 2 },
    ])
  })
})
