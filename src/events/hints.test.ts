import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { alice, Rig } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import { applyHints } from './hints.ts'
import { renderTemplate } from './template.ts'

const context = {
  name: 'x',
  code: 'secret',
  a: { b: 1, c: 2, d: { e: 3 } },
  list: [{ n: 1 }, { n: 2 }],
  zero: 0,
}

describe('hints', () => {
  it.each<[string, JsonObject, Json]>([
    ['include keeps only what is named', { include: ['name', 'zero'] }, { name: 'x', zero: 0 }],
    ['include of nested names keeps only those', { include: ['a.b', 'a.d.e'] }, { a: { b: 1, d: { e: 3 } } }],
    ['exclude removes what is named', { exclude: ['code', 'a', 'list'] }, { name: 'x', zero: 0 }],
    [
      'exclude of a nested name leaves its neighbours',
      { include: ['a'], exclude: ['a.b'] },
      { a: { c: 2, d: { e: 3 } } },
    ],
    [
      'transform replaces the whole context',
      { transform: { t: { type: 'literal', literal: { k: [1] } } } },
      { t: { k: [1] } },
    ],
    [
      'transform merges over the filtered context',
      { include: ['name'], transform: { n: { type: 'literal', literal: 7 } }, mode: 'merge' },
      { name: 'x', n: 7 },
    ],
    ['extract one value', { transform: { v: { type: 'extract', value: '$.a.b' } } }, { v: 1 }],
    ['extract many', { transform: { v: { type: 'extract', value: '$.list[*].n' } } }, { v: [1, 2] }],
    ['extract nothing', { transform: { v: { type: 'extract', value: '$.nope.x' } } }, { v: null }],
    [
      'format',
      { transform: { v: { type: 'format', format: '{name}: {a.b} {nope}{a.d}' } } },
      { v: 'x: 1 {"e":3}' },
    ],
    [
      'template',
      {
        transform: {
          v: {
            type: 'template',
            template: '{{#each context.list}}{{n}}{{#if @index}}!{{else}}-{{/if}}{{/each}}<{{context.name}}>',
          },
        },
      },
      { v: '1-2!<x>' },
    ],
    [
      'an unknown rule gives null',
      { transform: { v: { type: 'jq', query: '.a' }, w: { type: 'literal', literal: 1 } } },
      { v: null, w: 1 },
    ],
    [
      'a broken template gives null',
      { transform: { v: { type: 'template', template: '{{#each}}' } } },
      { v: null },
    ],
  ])('%s', (_, hints, shown) => {
    verifies('C116')
    expect(applyHints(context, hints)).toEqual(shown)
  })

  it('never throw and never change the crumb, whatever they are', () => {
    verifies('C116')
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (include, transform, mode) => {
        const before = JSON.stringify(context)
        applyHints(context, { include, exclude: include, transform, mode } as JsonObject)
        expect(JSON.stringify(context)).toBe(before)
      }),
    )
  })
})

describe('hints that ask for too much', () => {
  const long = 'y'.repeat(100_000)
  const list = Array.from({ length: 2_000 }, () => 1)
  const chain = (depth: number): Json => (depth === 0 ? many(100_000, () => 1) : { a: chain(depth - 1) })
  const many = <T>(count: number, one: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, i) => one(i))
  const rules = (rule: JsonObject): JsonObject =>
    Object.fromEntries(many(2_000, (index) => [`k${index}`, rule]))
  const each = '{{#each context.list}}'
  const inner = '{{#each ../context.list}}'

  it.each<[string, Json, JsonObject]>([
    ['text made of much text', { long }, rules({ type: 'format', format: '{long}'.repeat(100) })],
    ['the whole context over and over', { long }, rules({ type: 'extract', value: '$' })],
    [
      'templates at their longest, many of them',
      { long },
      rules({ type: 'template', template: '{{context.long}}' }),
    ],
    [
      'blocks in blocks that write nothing',
      { list },
      { k: { type: 'template', template: `${each}${inner}${inner}{{/each}}{{/each}}{{/each}}` } },
    ],
    ['comments that never end', {}, { k: { type: 'template', template: '{{!--'.repeat(100_000) } }],
    ['names at every depth of every depth', chain(100), { k: { type: 'extract', value: '$..a..z' } }],
  ])('%s: the rest is null, soon', (_, given, transform) => {
    verifies('C116')
    const began = performance.now()
    const shown = applyHints(given, { transform }) as JsonObject
    expect(performance.now() - began).toBeLessThan(3_000)
    expect(Object.values(shown).at(-1)).toBeNull()
    expect(JSON.stringify(shown).length).toBeLessThan(5_000_000)
  })

  it('as many names as there are keys are left out and kept, soon', () => {
    verifies('C116')
    const keys = many(20_000, (index) => `k${index}`)
    const flat = Object.fromEntries(keys.map((key) => [key, 1]))
    const wide = { flat, ...flat }
    const names = keys.flatMap((key) => [key, `flat.${key}`])
    const began = performance.now()
    expect(applyHints(wide, { exclude: names })).toEqual({ flat: {} })
    expect(applyHints(wide, { include: names })).toEqual(wide)
    expect(performance.now() - began).toBeLessThan(3_000)
  })
})

describe('templates', () => {
  it.each(['{{#if', 'a {{ b', '{{{context.x}}', '{{!-- never ended }}'])('%s is broken', (template) => {
    verifies('C116')
    expect(() => renderTemplate(template, { context: {} })).toThrow(SyntaxError)
  })

  it.each([
    '{{constructor}}',
    '{{context.__proto__.x}}',
    '{{context.constructor.name}}',
    '{{this.toString}}',
    '{{#each __proto__}}x{{/each}}',
  ])('%s reaches no prototype', (template) => {
    verifies('C116')
    expect(renderTemplate(template, { context: {} })).toBe('')
  })

  it('escape nothing', () => {
    verifies('C116')
    expect(renderTemplate('{{context.html}}', { context: { html: '<b>&"' } })).toBe('<b>&"')
  })

  it('end with an error, not without end, when their output explodes', () => {
    verifies('C116')
    const list = Array.from({ length: 1000 }, () => 'x'.repeat(100))
    const template = '{{#each list}}{{#each ../list}}{{this}}{{/each}}{{/each}}'
    expect(() => renderTemplate(template, { list })).toThrow(/longer than/)
  })

  it('render or refuse any text', () => {
    verifies('C116')
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(typeof renderTemplate(`{{a}}${text}{{#if a}}${text}{{/if}}`, { a: { b: 1 } })).toBe('string')
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError)
        }
      }),
    )
  })
})

describe('reading a crumb', () => {
  let rig: Rig
  afterEach(() => rig.close())

  it('applies its hints to the view and never to the full crumb', async () => {
    verifies('C116', 'C-case-58')
    rig = new Rig()
    const { id } = await rig.crumbs.create(
      { title: 't', context, llm_hints: { exclude: ['code', 'a.b'] } },
      alice,
    )
    const view = await rig.crumbs.view(id, alice)
    expect(view.context).not.toHaveProperty('code')
    expect((view.context as typeof context).a).toEqual({ c: 2, d: { e: 3 } })
    expect((await rig.crumbs.full(id, alice))['context']).toEqual(context)
    const jq = await rig.crumbs.create(
      { title: 't', context, llm_hints: { transform: { k: { type: 'jq', query: '.' } } } },
      alice,
    )
    expect((await rig.crumbs.view(jq.id, alice)).context).toEqual({ k: null })
  })

  it('uses the hints of its schema when it has none of its own', async () => {
    verifies('C116')
    rig = new Rig()
    await rig.crumbs.create(
      {
        title: 'def',
        schema_name: 'schema.def.v1',
        tags: ['defines:note.v1'],
        context: { llm_hints: { include: ['name'] } },
      },
      alice,
    )
    const plain = await rig.crumbs.create({ title: 't', schema_name: 'note.v1', context }, alice)
    const own = await rig.crumbs.create(
      { title: 't', schema_name: 'note.v1', context, llm_hints: { include: ['zero'] } },
      alice,
    )
    expect((await rig.crumbs.view(plain.id, alice)).context).toEqual({ name: 'x' })
    expect((await rig.crumbs.view(own.id, alice)).context).toEqual({ zero: 0 })
  })
})

describe('JSONPath filters and {{lookup}} in hints', () => {
  const context = {
    prices: { a: 1, b: 2 },
    chosen: 'b',
    list: [{ n: 1 }, { n: 5 }, { n: 7 }],
    names: ['x', 'y'],
  }
  const shown = (rule: Record<string, string>) =>
    (applyHints(context, { transform: { out: rule } }) as { out: unknown }).out

  it('extract takes filters, slices and unions', () => {
    expect(shown({ type: 'extract', value: '$.list[?(@.n > 2)].n' })).toEqual([5, 7])
    expect(shown({ type: 'extract', value: '$.list[?(@.n > 6)].n' })).toBe(7)
    expect(shown({ type: 'extract', value: '$.list[0:2].n' })).toEqual([1, 5])
    expect(shown({ type: 'extract', value: "$.prices['a','b']" })).toEqual([1, 2])
    expect(shown({ type: 'extract', value: '$.list[-1].n' })).toBe(7)
  })

  it.each([
    ['{{lookup context.prices context.chosen}}', '2'],
    ['{{lookup context.prices "a"}}', '1'],
    ["{{lookup context.prices 'a'}}", '1'],
    ['{{lookup context.names 1}}', 'y'],
    ['{{#each context.list}}{{lookup ../context.names @index}}{{/each}}', 'xy'],
    ['{{lookup context.prices "constructor"}}', ''],
    ['{{lookup context.missing "a"}}', ''],
  ])('%s', (template, text) => {
    expect(shown({ type: 'template', template })).toBe(text)
  })

  it.each(['{{lookup context.prices}}', '{{lookup (context) "a"}}', '{{other a b}}'])(
    '%s is null',
    (template) => {
      expect(shown({ type: 'template', template })).toBeNull()
    },
  )
})
