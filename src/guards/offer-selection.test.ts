import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { defaultConfig } from '../config/config.ts'
import { makePrincipal } from '../tool/principal.ts'
import { makeTool } from '../tool/tool.ts'
import { boundToOffer, isSelected, offeredNames } from './offer-selection.ts'

const tool = (id: string, more: object = {}) =>
  makeTool({ id, format: 'rye', tier: 'project', source: { file: null, digest: '' }, ...more })
const issue = tool('github-create_issue', { format: 'mcp', aliases: ['github/create_issue'] })

describe('a pattern', () => {
  it.each([
    ['notes/read', 'notes/read', true],
    ['notes/*', 'notes/read', true],
    ['notes_*', 'notes/read', true],
    ['rye:notes/*', 'notes/read', true],
    ['mcp:notes/*', 'notes/read', false],
    ['note', 'notes/read', false],
    ['*', 'a/b/c', true],
  ])('%s on %s: %s', (pattern, id, expected) => {
    verifies('D18')
    expect(isSelected([pattern], tool(id))).toBe(expected)
  })

  it.each([
    ['mcp:github/*', true],
    ['github-*', true],
    ['mcp:gitlab/*', false],
  ])('%s on a tool of the server github: %s', (pattern, expected) => {
    verifies('D18')
    expect(isSelected([pattern], issue)).toBe(expected)
  })

  it('of a tag fits tools that have it', () => {
    expect(isSelected(['#mail'], tool('a', { tags: ['mail'] }))).toBe(true)
    expect(isSelected(['#mail'], tool('mail'))).toBe(false)
  })
})

describe('names', () => {
  const [a, b] = [tool('a'), tool('b')]

  it('are the new ones where they are free', () => {
    expect([...offeredNames([a, b], { a: 'x' }).values()]).toEqual(['x', 'b'])
    expect([...offeredNames([a, b], { a: 'b', b: 'a' }).values()]).toEqual(['b', 'a'])
  })

  it('stay where another tool has the new one', () => {
    expect([...offeredNames([a, b], { a: 'b' }).values()]).toEqual(['a', 'b'])
    expect([...offeredNames([a, b], { a: 'x', b: 'x' }).values()]).toEqual(['x', 'b'])
    expect([...offeredNames([a], { toString: 'x' }).values()]).toEqual(['a'])
  })
})

describe('a principal that has an offer', () => {
  const config = { ...defaultConfig, offers: { work: { tools: ['a'] }, home: { tools: ['b'] } } }
  const bound = boundToOffer(makePrincipal({ surface: 'http', name: 'ci' }), 'work', config)

  it('carries what it holds', () => {
    expect(bound.offer).toEqual({ name: 'work', tools: ['a'] })
  })

  it('cannot take another', () => {
    verifies('D18')
    expect(boundToOffer(bound, 'work', config).offer?.name).toBe('work')
    expect(() => boundToOffer(bound, 'home', config)).toThrow('ci has the offer "work" only.')
  })

  it.each(['', 'wrok', 'toString', '__proto__'])('cannot take one named %j that is not there', (name) => {
    const free = makePrincipal({ surface: 'http' })
    expect(() => boundToOffer(free, name, config)).toThrow(`There is no offer "${name}".`)
  })
})
