import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { sha256 } from '../tool/json.ts'
import { editSettings } from './edit-settings.ts'

type Change = Parameters<typeof editSettings>[1]

function edited(text: string | undefined, ...changes: Change[]): string {
  const project = tempFolder(text === undefined ? {} : { 'toolcrib.yaml': text })
  return editSettings(project, ...changes).after
}

it('writes nothing, and says which text it saw', () => {
  const project = tempFolder({ 'toolcrib.yaml': 'trust: warn\n' })
  const edit = editSettings(project, { path: ['trust'], value: 'require' })
  expect(edit).toEqual({
    file: join(project, 'toolcrib.yaml'),
    before: 'trust: warn\n',
    after: 'trust: require\n',
    digest: sha256('trust: warn\n'),
  })
})

it('begins a file where there is none', () => {
  expect(edited(undefined, { path: ['trust'], value: 'off' })).toBe('trust: off\n')
})

it('makes the maps on the way to a key', () => {
  expect(edited('', { path: ['grants', 'tools', 'a/b'], value: ['fs.read'] })).toContain('a/b')
})

describe('a list', () => {
  const add = (...items: string[]): Change => ({ path: ['approve'], add: items })

  it('gets what is added once', () => {
    expect(edited('approve: [a]\n', add('b', 'a'))).toBe('approve: [a, b]\n')
  })

  it('loses what is taken away, and goes with its last item', () => {
    expect(edited('approve: [a, b]\n', { path: ['approve'], remove: ['a'] })).toBe('approve: [b]\n')
    expect(edited('approve: [a]\ntrust: off\n', { path: ['approve'], remove: ['a'] })).not.toContain(
      'approve',
    )
  })

  it('is made where there was none', () => {
    expect(edited('trust: off\n', add('x'))).toBe('trust: off\napprove: [x]\n')
  })
})

describe('what somebody wrote by hand', () => {
  const text = '# mine\ntrust:   warn   # loud\n\napprove: [ a ,b ]\nroots:\n    - .\n'

  it('stays to the letter where nothing changed', () => {
    const after = edited(text, { path: ['bus'], value: 'memory' })
    for (const line of text.split('\n').filter(Boolean)) expect(after).toContain(line)
  })

  it('keeps its comment where its value changes', () => {
    const after = edited(text, { path: ['trust'], value: 'off' })
    expect(after).toMatch(/^trust: +off +# loud$/m)
    expect(after).toContain('# mine')
  })
})

it('applies several changes in turn', () => {
  const after = edited(
    'trust: warn\n',
    { path: ['approve'], add: ['a'] },
    { path: ['approve'], add: ['b'] },
    { path: ['trust'], value: 'off' },
  )
  expect(after).toBe('trust: off\napprove: [a, b]\n')
})

it.each([
  ['cannot be read', 'a: [\n'],
  ['is no mapping', '- a\n'],
])('refuses a file that %s', (why, text) => {
  expect(() => edited(text, { path: ['trust'], value: 'off' })).toThrow(why)
})
