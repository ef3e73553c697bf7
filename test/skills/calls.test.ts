import { expect, it } from 'vitest'
import { verifies } from '../verifies.ts'
import { anyParams, code, mw, skillCrib } from './skill-crib.ts'

it('returns what the function returns, an error object included', async () => {
  verifies('K1', 'S15', 'S64')
  const crib = await skillCrib({
    'validate.skill.js': code(
      { params: { type: 'object', properties: { title: { type: 'string' } } } },
      `if (!args.title) return { error: 'INVALID', message: 'Title required' }\nreturn { valid: true }`,
    ),
  })
  expect(await crib.value('validate', { title: '' })).toEqual({ error: 'INVALID', message: 'Title required' })
  expect(await crib.value('validate', { title: 'x' })).toEqual({ valid: true })
})

it('nests middleware in the stated order', async () => {
  verifies('K28', 'S31', 'S26')
  const crib = await skillCrib({
    'a.skill.js': mw('a'),
    'b.skill.js': mw('b'),
    'job.skill.js': code(
      { ...anyParams, a: null, b: null, $order: { a: { before: ['b'] } } },
      `ctx.globals.log.push('job'); return 1`,
    ),
    'boj.skill.js': code(
      { ...anyParams, a: null, b: null, $order: { b: { before: 'a' } } },
      `ctx.globals.log.push('job'); return 1`,
    ),
  })
  expect(await crib.value('job')).toBe(1)
  expect(crib.log()).toEqual(['a-in', 'b-in', 'job', 'b-out', 'a-out'])
  await crib.value('boj')
  expect(crib.log()).toEqual(['b-in', 'a-in', 'job', 'a-out', 'b-out'])
})
