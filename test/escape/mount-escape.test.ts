// What a file of the project can say to have something of the host shown inside the fence: a link, `pyvenv.cfg`, a
// shim, a version manager. Each leads to loot of every kind, with both engines and both modes; 0 hits.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.ts'
import { probeLauncher } from '../../src/sandbox/launcher/launcher.ts'
import { openFence } from '../../src/sandbox/open-fence.ts'
import { closedProfile } from '../../src/sandbox/profile.ts'
import { isToolError } from '../../src/tool/tool-error.ts'
import { runToEnd } from '../../src/workers/run-to-end.ts'
import { Supervisor } from '../../src/workers/supervisor.ts'
import { verifies } from '../helpers/verifies.ts'

const python = '/usr/bin/python3'
const home = mkdtempSync(join(homedir(), '.mount-escape-'))
const top = realpathSync(mkdtempSync(join(tmpdir(), 'mount-escape-')))
const supervisor = new Supervisor()
const engines = { bubblewrap: probeBubblewrap(undefined).found, launcher: probeLauncher(undefined).found }
let socket: Server

beforeAll(() => {
  writeFileSync(join(home, 'canary'), '#!/bin/sh\necho LOOT\n', { mode: 0o755 })
  mkdirSync(join(home, 'sockets'))
  socket = createServer((client) => client.end('LOOT')).listen(join(home, 'sockets/s'))
})
afterAll(async () => {
  await supervisor.close()
  socket.close()
  rmSync(home, { recursive: true })
  rmSync(top, { recursive: true, force: true })
})

/** What is led to: a path, and a program text that tells whether it is seen. */
const loots = {
  file: () => join(home, 'canary'),
  folder: () => home,
  'the whole machine': () => '/',
  'the home folder': () => homedir(),
  'a hidden folder': (project: string) => join(project, '.toolcrib'),
  'a folder with sockets': () => join(home, 'sockets'),
}

function put(file: string, text: string, mode = 0o755): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

function link(to: string, at: string): string {
  mkdirSync(dirname(at), { recursive: true })
  symlinkSync(to, at)
  return at
}

/** How a project leads there; gives back the program to start. */
const ways: { readonly [way: string]: (project: string, loot: string) => string } = {
  'a link step': (project, loot) => {
    link(loot, join(project, '.venv/step'))
    return link('../step', join(project, '.venv/bin/python3'))
  },
  'a link for the environment': (project, loot) => {
    link(loot, join(project, '.venv'))
    return join(project, '.venv/bin/python3')
  },
  'the home of pyvenv.cfg': (project, loot) => {
    put(join(project, '.venv/pyvenv.cfg'), `home = ${join(loot, 'bin')}\n`)
    return link(python, join(project, '.venv/bin/python3'))
  },
  'a link at the home of pyvenv.cfg': (project, loot) => {
    put(join(project, '.venv/pyvenv.cfg'), `home = ${join(project, 'way/bin')}\n`)
    link(loot, join(project, 'way/bin/python3'))
    return link(python, join(project, '.venv/bin/python3'))
  },
  'a shim': (project, loot) => {
    link(loot, join(project, '.pyenv/versions'))
    return put(join(project, '.pyenv/shims/python3'), `#!${python}\n`)
  },
  'a version manager': (project, loot) => {
    put(join(project, '.venv/pyvenv.cfg'), `home = ${join(project, 'way/.pyenv/shims')}\n`)
    link(loot, join(project, 'way/.pyenv'))
    return link(python, join(project, '.venv/bin/python3'))
  },
}

const look = (loot: string) => `
import os, socket
for path in [${JSON.stringify(join(home, 'canary'))}, ${JSON.stringify(join(loot, 'token'))}]:
    try: print(open(path).read())
    except OSError: pass
try:
    s = socket.socket(socket.AF_UNIX); s.connect(${JSON.stringify(join(home, 'sockets/s'))}); print(s.recv(9))
except OSError: pass
`

const cases = Object.keys(ways).flatMap((way) => Object.keys(loots).map((loot) => [way, loot] as const))

describe.each(['bubblewrap', 'launcher'] as const)('with %s', (engine) => {
  describe.skipIf(!engines[engine] || !existsSync(python))('', () => {
    it.each(cases)('%s shows nothing of %s', async (way, kind) => {
      verifies('G9')
      for (const mode of ['preferred', 'required'] as const) {
        const project = mkdtempSync(join(top, 'crib-'))
        const state = join(project, '.toolcrib')
        put(join(state, 'token'), 'LOOT', 0o600)
        const loot = loots[kind as keyof typeof loots](project)
        const file = ways[way]!(project, loot)
        const fence = openFence({ mode, project, engine })
        const said = await outcomeOf(() =>
          fence.wrap(
            {
              file,
              args: ['-I', '-c', look(loot)],
              cwd: project,
              env: { PATH: '/usr/bin:/bin', HOME: homedir() },
            },
            { ...closedProfile, read: [project], write: [project], hidden: [state], subprocess: true },
          ),
        )
        expect(said).not.toContain('LOOT')
        fence.close()
      }
    })

    it('holds while folders are exchanged for links beside it', async () => {
      verifies('G10')
      const project = mkdtempSync(join(top, 'race-'))
      const out = join(project, 'out')
      mkdirSync(join(project, 'real'))
      symlinkSync(home, join(project, 'evil'))
      symlinkSync('real', out)
      unlinkSync(out)
      renameSync(join(project, 'real'), out)
      const racer = new Worker(exchanger, { eval: true, workerData: { project } })
      const fence = openFence({ mode: 'required', project, engine })
      let ran = 0
      let refused = 0
      const seconds = Number(process.env['TOOLCRIB_RACE_SECONDS'] ?? 3)
      const isOver = (ms: number) => ms > seconds * 1_000 && (refused > 0 || ms > 60_000)
      for (const start = Date.now(); !isOver(Date.now() - start); ) {
        const said = await outcomeOf(() =>
          fence.wrap(
            {
              file: '/bin/sh',
              args: ['-c', `cat ${out}/canary; echo LOOT > ${out}/planted; echo ran`],
              cwd: '/',
              env: { PATH: '/usr/bin:/bin' },
            },
            { ...closedProfile, read: [out], write: [out], subprocess: true },
          ),
        )
        expect(said).not.toContain('LOOT')
        expect(existsSync(join(home, 'planted'))).toBe(false)
        if (said.includes('ran')) ran++
        else refused++
      }
      await racer.terminate()
      fence.close()
      // Else nothing was raced: some calls must have met the folder, some the link.
      expect(ran + refused).toBeGreaterThan(5)
      expect(refused).toBeGreaterThan(0)
    }, 120_000)
  })
})

const exchanger = `
const { renameSync } = require('node:fs'); const { join } = require('node:path')
const { project } = require('node:worker_threads').workerData
const at = (name) => join(project, name)
for (;;) {
  try { renameSync(at('out'), at('kept')); renameSync(at('evil'), at('out')) } catch {}
  try { renameSync(at('out'), at('evil')); renameSync(at('kept'), at('out')) } catch {}
}`

/** What the program said, or why it was not started. */
async function outcomeOf(wrap: () => Parameters<Supervisor['start']>[0]): Promise<string> {
  try {
    const ended = await runToEnd(supervisor, wrap(), {
      maxBytes: 10_000,
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    })
    return ended.stdout.text
  } catch (error) {
    if (!isToolError(error)) throw error
    expect(['PATH_OUTSIDE', 'COMMAND_NOT_FOUND', 'SANDBOX_UNAVAILABLE']).toContain(error.code)
    return error.code
  }
}
