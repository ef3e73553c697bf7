import fc from 'fast-check'
import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { hasTemplate, interpolate } from './interpolate.ts'

it('inserts text once and never scans what it inserted', () => {
  verifies('S48')
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(interpolate('<${args.x}>', { args: { x: text } })).toBe(`<${text}>`)
      expect(interpolate('${args.x}', { args: { x: text } })).toBe(text)
    }),
  )
})

it('leaves text without templates as it is, and turns the escape into a literal', () => {
  verifies('S48')
  fc.assert(
    fc.property(
      fc.string().filter((text) => !text.includes('${')),
      (text) => {
        expect(hasTemplate(text)).toBe(false)
        expect(interpolate(text, {})).toBe(text)
      },
    ),
  )
  expect(interpolate('a \\${b} ${c}', { c: 1 })).toBe('a ${b} 1')
})

it('keeps call data out of inline code, whatever the path', () => {
  verifies('S49')
  const secret = 'SECRET'
  const context = {
    args: { x: secret },
    nonlocals: { x: secret },
    run: { x: secret },
    envelope: { id: secret },
    locals: { x: secret, config: { ok: 'fine' } },
    globals: { x: secret, config: { ok: 'fine' } },
  }
  const step = fc.constantFrom(
    'args',
    'nonlocals',
    'run',
    'locals',
    'globals',
    'envelope',
    'x',
    'id',
    'config',
    '$',
    '*',
    '..',
  )
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('.', '', '[?(@.x)]'),
      (steps, joint) => {
        let text: unknown = ''
        try {
          text = interpolate(`inline://code,\${${steps.join(joint || '.')}}`, context)
        } catch (error) {
          expect(error).toMatchObject({ code: 'INLINE_INVALID' })
        }
        expect(String(text)).not.toContain(secret)
      },
    ),
  )
  expect(interpolate('inline://code,${locals.config.ok}', context)).toBe('inline://code,fine')
})
