// What an agent says reaches an HTTP client while it is written, as an event of its own.
import { expect, it, vi } from 'vitest'
import { servedCrib } from '../../../src/surfaces/http/fixtures/served-crib.ts'
import { verifies } from '../../helpers/verifies.ts'
import { modelServer } from './model-server.ts'

const files = {
  'main.skill.md': '---\nname: app\nmetadata: {role: main}\n---\nThe app.\n',
  'skills/teller.skill.md': '---\nname: teller\nmetadata: {params: {type: object}}\n---\nTell.\n',
  'skills/add.skill.js':
    'export const frontmatter = { name: "add", metadata: { params: { type: "object" } } }\nexport default (ctx, { a, b }) => a + b\n',
}

async function* eventsOf(response: Response): AsyncGenerator<[string, Record<string, unknown>]> {
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, name, data] = /^event: (.+)\ndata: (.+)$/.exec(text.slice(0, end)) ?? []
      text = text.slice(end + 2)
      if (name) yield [name, JSON.parse(data!)]
    }
  }
}

it('a call of an agent streams the text of its model as `text` events before the outcome', async () => {
  verifies('S81')
  let release = () => {}
  const hold = new Promise<void>((resolve) => {
    release = resolve
  })
  const model = await modelServer([
    { text: 'Adding.', calls: [{ name: 'add', args: { a: 2, b: 3 } }] },
    { text: 'first second', hold },
  ])
  const { url, token } = await servedCrib({ files, config: { models: model.models() } })
  const response = await fetch(`${url}/api/tools/teller/call`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: '{"params":{}}',
  })
  const seen: [string, Record<string, unknown>][] = []
  const reading = (async () => {
    for await (const event of eventsOf(response)) seen.push(event)
  })()
  const said = () => seen.flatMap(([name, data]) => (name === 'text' ? [data['text']] : [])).join('')
  await vi.waitUntil(() => said().includes('first'), { timeout: 20_000 })
  expect(said()).not.toContain('second')
  expect(seen.map(([name]) => name)).not.toContain('outcome')
  release()
  await reading
  expect(said()).toBe('Adding.first second')
  expect(seen.at(-1)).toMatchObject(['outcome', { ok: true, value: 'first second' }])
  // Order is that of events: the text of a turn stands before the calls made in it.
  const names = seen.map(([name, data]) => (name === 'log' ? String(data['message']) : name))
  expect(names.indexOf('text')).toBeLessThan(names.indexOf('teller calls add'))
})
