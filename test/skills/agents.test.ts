import { describe, expect, it } from 'vitest'
import { verifies } from '../verifies.ts'
import { type Asked, modelServer, type Provider } from './model-server.ts'
import { code, skillCrib } from './skill-crib.ts'

const providers: Provider[] = ['openai-compatible', 'ollama', 'anthropic']

const add = code(
  { params: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } },
  'return { sum: args.a + args.b }',
)

/** The offered tools without those that ship with the program. */
function ownTools(asked: Asked): string[] {
  return asked.tools.filter((name) => !name.startsWith('rye_'))
}

describe.each(providers)('an agent with %s', (provider) => {
  it.each([true, false])('uses tools and gives the last text (stream: %s)', async (stream) => {
    verifies('S76', 'S77', 'S80', 'S81')
    const model = await modelServer([
      { text: 'Let me see. ', calls: [{ name: 'add', args: { a: 1, b: 2 } }] },
      { text: 'It is 3.' },
    ])
    const crib = await skillCrib(
      {
        'add.skill.js': add,
        'sums.skill.md':
          '---\nname: sums\ndescription: Sums\nmetadata:\n  params: {type: object, properties: {q: {type: string}}}\n---\nYou do sums.\n',
      },
      { models: model.models(provider, { stream }) },
    )
    const texts: string[] = []
    const outcome = await crib.crib.call('sums', { q: '1+2' }, { onText: (text) => texts.push(text) })
    expect(outcome).toMatchObject({
      ok: true,
      value: 'It is 3.',
      meta: { model: 'scripted', turns: 2, tokens: { input: 20, output: 10 } },
    })
    expect(texts.join('')).toBe('Let me see. It is 3.')
    expect(model.asked).toHaveLength(2)
    expect(model.asked.map((asked) => asked.isStreamed)).toEqual([stream, stream])
    expect(model.asked[0]!.system).toContain('You do sums.')
    expect(model.asked[0]!.messages).toEqual([{ role: 'user', text: '{"q":"1+2"}' }])
    expect(ownTools(model.asked[0]!)).toEqual(['add', 'driver', 'sums'])
    expect(model.asked[1]!.messages.at(-1)!.text).toContain('{"sum":3}')
  })
})
