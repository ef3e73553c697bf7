// Hints of serving, of narrowed callers, of decisions and of code that misbehaves.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { maxWaitingOf } from '../../../src/guards/approvals.ts'
import { makePrincipal } from '../../../src/index.ts'
import { IssuedTokens } from '../../../src/surfaces/http/issued-tokens.ts'
import { serveCrib } from '../../../src/surfaces/http/serve-crib.ts'
import type { Place, Step, Table } from './place.ts'
import type { Files } from './put.ts'
import { code, rye } from './writers.ts'

const skill: Files = { 'skills/a.skill.js': code('a', ', metadata: { params: { type: "object" } }') }
const say: Files = {
  '.ai/tools/say.yaml': rye('say', { requires: '[shell.execute]' }),
  'toolcrib.yaml':
    'grants: { tools: { say: [shell.execute] } }\noffers: { work: { tools: [say] }, other: { tools: ["*"] } }\n',
}
const as =
  (who: object, ref = 'say'): Step =>
  (at) =>
    at.call(
      say,
      ref,
      {},
      { call: { principal: makePrincipal({ surface: 'http', name: 'ci', ...who } as never) } },
    )
const serve =
  (options: (at: Place) => object, files: Files = {}): Step =>
  (at) =>
    at.crib(
      async (crib) => {
        const served = await serveCrib(crib, { watch: false, port: 0, env: at.env, ...options(at) })
        await served.close(0)
        return ''
      },
      { files },
    )
const ports = new Map<string, number>()
const change = async (at: Place, digest?: string) => {
  const shown = await at.ask('GET', '/api/console/source/a', undefined, { serve: { edit: true } })
  const [file] = Array.isArray(shown.body) ? shown.body : shown.body.files
  return at.ask('POST', '/api/console/source/a', {
    path: digest === 'path' ? 'nothing.js' : file.path,
    text: `${file.text}\n`,
    digest: digest ?? file.digest,
  })
}

export const narrowed: Table = {
  'Use a token with that grant.': [as({ grants: ['fs.read'] }), as({ grants: ['fs.read', 'shell.execute'] })],
  'Its allowed-tools list is "${}".': [as({ allowedTools: 'other' }), as({ allowedTools: 'other say' })],
  'Add it to offers.${}.tools in toolcrib.yaml, or use another offer.': [
    (at) =>
      at.call(
        { ...say, ...skill },
        'a',
        {},
        {
          call: {
            principal: makePrincipal({
              surface: 'mcp',
              name: 'ci',
              offer: { name: 'work', tools: ['say'] },
            } as never),
          },
        },
      ),
    (at) =>
      at.call(
        {},
        'a',
        {},
        {
          call: {
            principal: makePrincipal({
              surface: 'mcp',
              name: 'ci',
              offer: { name: 'other', tools: ['*'] },
            } as never),
          },
        },
      ),
  ],
  'Read it again with GET /api/approvals and decide about what it says now.': [
    (at) =>
      at.crib(
        async (crib) => {
          crib.addTool({ id: 'a', fn: () => 'x' })
          crib.approvals.attend()
          const asked = new Promise<string>((done) => crib.approvals.once('requested', ({ id }) => done(id)))
          const call = crib.call('a')
          const id = await asked
          try {
            crib.approvals.decide(id, { decision: 'approve', by: 'me', digest: 'x' } as never)
            return ''
          } finally {
            crib.approvals.decide(id, { decision: 'deny', by: 'me' } as never)
            await call
          }
        },
        { config: { approve: ['a'] } },
      ),
    (at) =>
      at.crib(
        async (crib) => {
          crib.addTool({ id: 'a', fn: () => 'x' })
          crib.approvals.attend()
          crib.approvals.once('requested', ({ id, digest }) =>
            setImmediate(() => crib.approvals.decide(id, { decision: 'approve', by: 'me', digest } as never)),
          )
          return crib.call('a')
        },
        { config: { approve: ['a'] } },
      ),
  ],
  'Have those decided first, or cancel them.': [
    (at) =>
      at.crib(
        async (crib) => {
          crib.addTool({ id: 'a', fn: () => 'x' })
          crib.approvals.attend()
          const stop = new AbortController()
          const waiting = Array.from({ length: maxWaitingOf }, () =>
            crib.call('a', {}, { signal: stop.signal }),
          )
          while (crib.approvals.pending.length < maxWaitingOf) await once(crib.approvals, 'requested')
          const refused = await crib.call('a')
          stop.abort()
          await Promise.all(waiting)
          return refused
        },
        { config: { approve: ['a'] } },
      ),
    (at) =>
      at.crib(
        (crib) => {
          crib.addTool({ id: 'a', fn: () => 'x' })
          crib.approvals.attend()
          crib.approvals.once('requested', ({ id, digest }) =>
            setImmediate(() => crib.approvals.decide(id, { decision: 'approve', by: 'me', digest } as never)),
          )
          return crib.call('a')
        },
        { config: { approve: ['a'] } },
      ),
  ],
  'Register it before the call; tools made in code exist only in the program that made them.': [
    async (at) => {
      const tool = await at.crib((crib) => crib.addTool({ id: 'a', fn: () => 'x' }))
      return at.crib((crib) => crib.call(tool))
    },
    (at) => at.crib((crib) => crib.call(crib.addTool({ id: 'a', fn: () => 'x' }))),
  ],
}

export const serving: Table = {
  'Remove it, and the next start makes a new one: rm -r ${}': [
    async (at) => {
      await at.cli(['list'])
      at.put({ '.toolcrib/token/x': 'y' })
      return serve(() => ({}))(at)
    },
    serve(() => ({}), { '.toolcrib/token': null }),
  ],
  'Take another with --port or TOOLCRIB_PORT, or any free one with --port 0.': [
    async (at) => {
      const holder = createServer()
      await new Promise<void>((done) => holder.listen(0, '127.0.0.1', done))
      ports.set(at.root, (holder.address() as AddressInfo).port)
      try {
        return await serve(() => ({ port: ports.get(at.root) }))(at)
      } finally {
        holder.close()
      }
    },
    serve(() => ({ port: 0 })),
  ],
  'Check serve.host and serve.port.': [
    serve(() => ({ host: '192.0.2.1', token: 'x'.repeat(40) })),
    serve(() => ({ host: '127.0.0.1' })),
  ],
  'Write the issuer as its tokens do, for example https://login.example.com.': [
    () => void new IssuedTokens('login', () => []),
    () => void new IssuedTokens('https://login.example.com', () => []),
  ],
  'Copy your text, open the file anew, then save.': [
    (at) => {
      at.put(skill)
      return change(at, 'x')
    },
    (at) => change(at),
  ],
  'Only whole text files of this crib are changed from the console.': [
    (at) => {
      at.put(skill)
      return change(at, 'path')
    },
    (at) => change(at),
  ],
}

export const misbehaving: Table = {
  'Fix the syntax error.': [
    (at) =>
      at.call(
        {
          'skills/a.skill.js': code('a', '', "import './x.ts'\nexport default () => 'x'\n"),
          'skills/x.ts': 'const =\n',
        },
        'a',
      ),
    (at) => at.call({ 'skills/x.ts': 'export {}\n' }, 'a'),
  ],
  'An error was thrown outside of the function, or a promise was rejected and nobody waited for it.': [
    (at) =>
      at.call(
        {
          '.ai/tools/a.js': script(
            "setTimeout(() => { throw new Error('x') }); await new Promise((done) => setTimeout(done, 300)); return { success: true }",
          ),
        },
        'a',
      ),
    (at) => at.call({ '.ai/tools/a.js': script('return { success: true }') }, 'a'),
  ],
}

function script(body: string): string {
  return `export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'rye/core/runtimes/node/node'
export const __category__ = ''
export const __tool_description__ = 'Says hello'
export default async function main() { ${body} }
`
}
