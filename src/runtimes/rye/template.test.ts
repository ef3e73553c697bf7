import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { Json, JsonObject } from '../../tool/json.ts'
import { expand, placeholdersOf, type TemplateScope } from './template.ts'

const unset: string[] = []

function scope(params: TemplateScope['params'], config: JsonObject = {}): TemplateScope {
  return {
    variable: (name) => ({ HOME_DIR: '/home', EMPTY: '', TRICKY: '{n} ${HOME_DIR}' })[name],
    unset: (name) => void unset.push(name),
    fixed: { tool_path: '/p/tool', params_json: () => '{"n":1}' },
    requestId: 'run',
    config,
    params,
  }
}

describe('expand', () => {
  it.each<[Json, Json]>([
    ['{n}', 5],
    ['{list}', [1, 2]],
    ['x{n}y', 'x5y'],
    ['x{list}y{obj}', 'x[1,2]y{"a":1}'],
    ['{yes}{no}', 'truefalse'],
    ['{{n}} {n}', '{n} 5'],
    ['{tool_path}', '/p/tool'],
    ['{params_json}', '{"n":1}'],
    ['{request_id}', 'run'],
    ['${HOME_DIR}/{n}', '/home/5'],
    ['${NOPE:-default}', 'default'],
    ['${NOPE:-{n}!}', '5!'],
    ['${EMPTY:-default}', 'default'],
    ['${TRICKY}', '{n} ${HOME_DIR}'],
    ['{ n } {1} {} {n-m} $HOME_DIR', '{ n } {1} {} {n-m} $HOME_DIR'],
    [
      { deep: ['{n}', { more: 'a{n}' }], other: 1 },
      { deep: [5, { more: 'a5' }], other: 1 },
    ],
  ])('%j becomes %j', (template, value) => {
    verifies('R33', 'R34')
    const params = { n: 5, list: [1, 2], obj: { a: 1 }, yes: true, no: false, tool_path: 'mine' }
    expect(expand(template, scope(params))).toEqual({ value, missing: [] })
  })

  it('looks names up in the configuration first, a few rounds deep, and never in itself', () => {
    verifies('R34')
    const config = { base: '{host}/v1', host: 'http://{name}', path: '{path}', a: '{b}', b: '{a}' }
    const given = scope({ name: 'x', host: 'param', path: 'own', a: 'end' }, config)
    expect(expand('{base}', given).value).toBe('http://x/v1')
    expect(expand(config.path, given, { key: 'path' }).value).toBe('own')
    expect(expand(config.a, given, { key: 'a' }).value).toBe('end')
  })

  it('keeps the text of names without a value and lists them', () => {
    expect(expand('a {x} {y} {n}', scope({ n: 1, y: null }))).toEqual({
      value: 'a {x} {y} 1',
      missing: ['x', 'y'],
    })
    expect(expand('{n}', scope(null)).missing).toEqual(['n'])
  })

  it('tells of variables that are not set', () => {
    verifies('R33')
    unset.length = 0
    expect(expand('[${NOPE}]', scope({})).value).toBe('[]')
    expect(unset).toEqual(['NOPE'])
  })

  it('never expands what a param brings in, whatever it is', () => {
    verifies('R34')
    const text = fc.string({ unit: fc.constantFrom(...'{}$:-abnHOME_DIR{{}}') })
    fc.assert(
      fc.property(text, text, (a, b) => {
        const given = scope({ a, b, n: 1 })
        expect(expand('{a}', given).value).toBe(a)
        expect(expand('<{a}|{b}>', given).value).toBe(`<${a}|${b}>`)
        expect(expand('{wrap}', scope({ a }, { wrap: '({a})' })).value).toBe(`(${a})`)
      }),
    )
  })

  it('encodes params inside longer text only', () => {
    const given = scope({ q: 'a&b', n: 1 }, { base: 'http://h/{q}' })
    const encode = encodeURIComponent
    expect(expand('{base}?q={q}', given, { encode }).value).toBe('http://h/a%26b?q=a%26b')
    expect(expand('{q}', given, { encode }).value).toBe('a&b')
  })

  it('finds placeholders, also in defaults', () => {
    expect(placeholdersOf('{a} {{b}} ${X:-{c}} ${Y} {d')).toEqual(['a', 'c'])
  })
})
