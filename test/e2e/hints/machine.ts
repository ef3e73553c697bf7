// Hints of what a process, a folder, a client's file or a caller's rights make of a call, followed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { walk } from '../../../src/catalog/walk.ts'
import { demandEnforced } from '../../../src/sandbox/demand-enforced.ts'
import { clients } from '../../../src/surfaces/clients/clients.ts'
import { withServer } from '../../../src/surfaces/clients/edit-servers.ts'
import { Supervisor } from '../../../src/workers/supervisor.ts'
import { cli } from '../../helpers/toolcrib.ts'
import type { Place, Step, Table } from './place.ts'
import type { Files } from './put.ts'
import { code } from './writers.ts'

const start =
  (file: string, args: readonly string[] = [], cwd?: string): Step =>
  async (at) => {
    const supervisor = new Supervisor()
    try {
      const path = file.startsWith('/') ? file : at.path(file)
      const child = await supervisor.start({ file: path, args, cwd: at.path(cwd ?? ''), env: {} })
      await child.exited
      return ''
    } finally {
      await supervisor.close()
    }
  }
const enforced =
  (network: string, demand: object): Step =>
  () =>
    demandEnforced(
      { layers: [], dimensions: { network, read: 'enforced', write: 'enforced' } } as never,
      demand as never,
      () => [],
    )
const skill = (name: string, body?: string): Files => ({
  [`skills/${name}.skill.js`]: code(name, ', metadata: { params: { type: "object" } }', body),
})
const narrow = 'narrow-token-of-a-client-0123456789abcdef'
const asNarrow = (at: Place, method: string, path: string, body?: unknown) => {
  const sha256 = createHash('sha256').update(narrow).digest('hex')
  at.put({
    ...skill('a'),
    ...skill('b'),
    'toolcrib.yaml': `serve: { tokens: [{ name: ci, token: "sha256:${sha256}", allowedTools: a }] }\n`,
  })
  return at.ask(method, path, body, { token: narrow })
}
const size = (at: Place) => walk(at.root, { largeFrom: 2 }).problems
const listIn = (at: Place, script: string) => {
  const ran = spawnSync('/bin/sh', ['-c', `${script} exec "$@"`, 'sh', process.execPath, cli, 'list'], {
    cwd: at.root,
    env: at.env as NodeJS.ProcessEnv,
    encoding: 'utf8',
  })
  return { isOk: ran.status === 0, said: ran.stderr + ran.stdout }
}
const connected = (text: string) => withServer(text, clients['cursor']!, 'toolcrib', { command: 'toolcrib' })

export const machine: Table = {
  'Its arguments and variables are too long together; pass long values on standard input.': [
    start('/bin/true', ['x'.repeat(200_000)]),
    start('/bin/true', ['x']),
  ],
  'Check that the file is executable.': [
    (at) => {
      at.put({ 'run.sh': '#!/bin/sh\n' })
      chmodSync(at.path('run.sh'), 0o644)
      return start('run.sh')(at)
    },
    (at) => {
      chmodSync(at.path('run.sh'), 0o755)
      return start('run.sh')(at)
    },
  ],
  'Check that the program and its working folder exist.': [
    start('/bin/true', [], 'gone'),
    (at) => {
      at.put({ 'gone/x': '' })
      return start('/bin/true', [], 'gone')(at)
    },
  ],
  'Remove ${} from sandbox.require in toolcrib.yaml.': [
    enforced('partial', { mode: 'preferred', require: ['network'] }),
    enforced('partial', { mode: 'preferred', require: [] }),
  ],
  'Take the grant away from the tool, or set sandbox: preferred in toolcrib.yaml.': [
    enforced('partial', { mode: 'required' }),
    enforced('partial', { mode: 'preferred' }),
  ],
  'Name smaller folders in `roots`, or add these to .toolcribignore.': [
    (at) => {
      at.put({ 'data/1': '', 'data/2': '', 'data/3': '' })
      return size(at)
    },
    (at) => {
      at.put({ '.toolcribignore': 'data\n' })
      return size(at)
    },
  ],
  'Go to another folder and try again.': [
    (at) => listIn(at, 'mkdir gone; cd gone; rmdir ../gone;'),
    (at) => listIn(at, ''),
  ],
  '`toolcrib runs` lists what ran; a run that changed no files has nothing to show, accept or undo.': [
    (at) => at.cli(['undo', 'abcdef']),
    (at) => at.cli(['runs']),
  ],
  'Break the circle in which tools call or trigger each other.': [
    (at) => at.call(skill('a', "export default (ctx) => ctx.manager.invoke('a', {})\n"), 'a'),
    (at) => at.call(skill('a'), 'a'),
  ],
  'Its list of tools names all it may call; `toolcrib tokens list` says what limits it.': [
    (at) => asNarrow(at, 'POST', '/api/tools/b/call', { params: {} }),
    async (at) => {
      const { body } = await asNarrow(at, 'GET', '/api/tools')
      const [only] = body.tools
      return asNarrow(at, 'POST', `/api/tools/${only.id}/call`, { params: {} })
    },
  ],
  'Use --print and put the block in by hand.': [
    () => connected('{ "mcpServers": {}, "mcpServers": { "a": {} } }'),
    (at) => at.cli(['connect', 'cursor', '--print']),
  ],
}
