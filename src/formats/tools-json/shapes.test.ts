import { describe, expect, it } from 'vitest'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import { lintSchema } from '../../tool/schema/lint-schema.ts'
import { toolsJsonSchema } from './shapes.ts'

describe('the editor schema of tools.json', () => {
  it('is itself a sound schema', () => {
    expect(lintSchema(toolsJsonSchema)).toEqual([])
  })

  const sound = {
    tools: [{ name: 'a', parameters: { type: 'object', properties: { q: {} } } }],
    allowlist: { a: [''] },
    execution: [
      {
        tool: 'a',
        binary: 'a',
        subcommand: '',
        args: [{ param: 'q', kind: 'FlagIfBoolean', flagIfTrue: '-x' }],
      },
    ],
  }

  it.each([
    ['a descriptor in one file', sound, true],
    ['a list of tools', sound.tools, true],
    ['null in an optional field', { ...sound, execution: [{ ...sound.execution[0], args: null }] }, true],
    [
      'an unknown kind',
      { ...sound, execution: [{ ...sound.execution[0], args: [{ param: 'q', kind: 'switch' }] }] },
      false,
    ],
    ['an unknown field', { ...sound, execution: [{ ...sound.execution[0], arguments: [] }] }, false],
    ['a tool without a name', { ...sound, tools: [{}] }, false],
  ])('judges %s', (_, document, isSound) => {
    const violations = compileSchema(toolsJsonSchema, { fillDefaults: false }).violations(document)
    expect(violations.length === 0).toBe(isSound)
  })
})
