// What a file of the project can say to have something of the host shown inside the fence: a link, `pyvenv.cfg`, a
// shim, a version manager. Each leads to loot of every kind, with both engines and both modes; 0 hits.

import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.ts'
import { probeLauncher } from '../../src/sandbox/launcher/launcher.ts'
import { openFence } from '../../src/sandbox/open-fence.ts'
import { closedProfile } from '../../src/sandbox/profile.ts'
import { isToolError } from '../../src/tool/tool-error.ts'
import { runToEnd } from '../../src/workers/run-to-end.ts'
import { Supervisor } from '../../src/workers/supervisor.ts'
import { proves } from '../helpers/proves.ts'
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

    it.each(Object.entries(exchanged))(
      'holds while %s is exchanged for a link, over and over',
      async (_, { path, read, write = [] }) => {
        verifies('G10')
        proves('exchange-race')
        const project = mkdtempSync(join(top, 'race-'))
        const at = (name: string) => join(project, name)
        for (const name of ['a/out', 'a/docs', 'a/code']) mkdirSync(at(name), { recursive: true })
        for (const name of ['a/out/mine', 'a/docs/mine', 'a/code/mine']) put(at(name), 'mine')
        symlinkSync(path === 'a/docs/mine' ? join(home, 'canary') : home, at('link'))
        // What lies above leads to the loot by the same names.
        if (path === 'a')
          for (const name of ['out', 'docs', 'code']) mkdirSync(join(home, name), { recursive: true })
        const racer = spawn('perl', ['-e', exchanger, at(path), at('link')], { stdio: 'ignore' })
        const fence = openFence({ mode: 'required', project, engine })
        onTestFinished(() => {
          racer.kill('SIGKILL')
          fence.close()
        })
        const look = `cat ${at('a')}/*/canary ${at('a/docs/mine')}; echo LOOT > ${at('a/out/planted')}; echo ran`
        const profile = {
          ...closedProfile,
          read: read.map(at),
          write: write.map(at),
          readOnly: [at('a/out/mine')],
          subprocess: true,
        }
        let ran = 0
        let refused = 0
        const seconds = Number(process.env['TOOLCRIB_RACE_SECONDS'] ?? 1)
        for (const end = Date.now() + seconds * 1_000; Date.now() < end || ran + refused < 6; ) {
          const said = await outcomeOf(() =>
            fence.wrap(
              { file: '/bin/sh', args: ['-c', look], cwd: '/', env: { PATH: '/usr/bin:/bin' } },
              profile,
            ),
          )
          expect(said).not.toContain('LOOT')
          for (const folder of ['', 'out', 'docs', 'code'])
            expect(existsSync(join(home, folder, 'planted'))).toBe(false)
          if (said.includes('ran')) ran++
          else refused++
        }
        console.info(`exchange race, ${engine}, ${path}: ${ran} ran, ${refused} refused, 0 hits`)
      },
      240_000,
    )
  })
})

interface Raced {
  /** What is exchanged, in the project. */
  readonly path: string
  /** What the start is given of it. */
  readonly read: readonly string[]
  readonly write?: readonly string[]
}

/** Everything of a project that a mount may stand on, and that another tool might exchange. */
const exchanged: { readonly [what: string]: Raced } = {
  'a folder for writing': { path: 'a/out', read: ['a/out'], write: ['a/out'] },
  'a folder for writing in a shown one': { path: 'a/out', read: ['a'], write: ['a/out'] },
  'a folder for reading': { path: 'a/docs', read: ['a/docs'] },
  'a file for reading': { path: 'a/docs/mine', read: ['a/docs/mine'] },
  'a protected file': { path: 'a/out/mine', read: ['a/out'], write: ['a/out'] },
  'a folder above them': { path: 'a', read: ['a/docs', 'a/out'], write: ['a/out'] },
}

/** renameat2 with RENAME_EXCHANGE: at no time is nothing there. */
const exchanger = `
my $number = (POSIX::uname())[4] eq 'aarch64' ? 276 : 316;
use POSIX ();
my ($one, $other) = @ARGV;
syscall($number, -100, $one, -100, $other, 2) while 1;`

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
