// A folder that comes with links: what a person has the command line write into it stays in it, and what it reads of it
// for a person is its own.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { proves } from '../helpers/proves.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const mine = 'mine\n'
const evil = '{"mcpServers":{},"x":"$(touch pwned)"}\n'

/** A folder of somebody else's with one link out of it, and the person's own home that the link leads to. */
function shipped(link: string, target: string, files: { readonly [path: string]: string } = {}) {
  const home = tempFolder({ '.bashrc': mine, 'kept/x': '' })
  const cwd = tempFolder({ 'hello.sh': '#!/bin/sh\n# says hello\necho hello\n', '.mcp.json': evil, ...files })
  mkdirSync(dirname(join(cwd, link)), { recursive: true })
  symlinkSync(join(home, target), join(cwd, link))
  return { home, cwd, env: { HOME: home, TOOLCRIB_TRUST_FOLDER: '0' } }
}

it.each([
  ['add', ['add', 'http://127.0.0.1:9/mcp', '--yes']],
  ['connect', ['connect', 'claude-code', '--yes']],
])('%s keeps what a file was, and not through a link', async (_, args) => {
  verifies('D17')
  proves('shipped-links')
  const { home, cwd, env } = shipped('.mcp.json.before-toolcrib', '.bashrc')
  await toolcrib(args, { cwd, env })
  expect(readFileSync(join(cwd, '.mcp.json.before-toolcrib'), 'utf8')).toBe(evil)
  expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe(mine)
})

it.each([
  ['a script', '.ai/tools', ['add', './hello.sh', '--yes']],
  ['a document of an API', 'apis', ['add', './api.yaml', '--yes']],
  ['a folder of skills', 'skills', ['add', '../given', '--yes']],
  ['a new tool', '.ai/tools', ['new', 'rye', 'text/count']],
])('%s goes to no folder behind a link out of the crib', async (_, link, args) => {
  verifies('G9')
  proves('shipped-links')
  const given = '---\nname: given\ndescription: A skill\n---\nHello\n'
  const { home, cwd, env } = shipped(`crib/${link}`, 'kept', {
    'crib/hello.sh': '#!/bin/sh\n# says hello\necho hello\n',
    'crib/api.yaml':
      'openapi: 3.1.0\ninfo: { title: pets, version: "1" }\nservers: [{ url: https://pets.example }]\npaths: { /pets: { get: { operationId: list, responses: { "200": { description: ok } } } } }\n',
    'given/given/SKILL.md': given,
  })
  const { code, stderr } = await toolcrib(args, { cwd: join(cwd, 'crib'), env })
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining('would be written outside')])
  expect(readdirSync(join(home, 'kept'))).toEqual(['x'])
})

it('settings go into a file of the crib, whatever link was shipped in its place', async () => {
  verifies('G9')
  proves('shipped-links')
  const { home, cwd, env } = shipped('.mcp.examples.yaml', '.bash_profile')
  const { code } = await toolcrib(['new', 'mcp', 'words'], { cwd, env })
  expect([code, existsSync(join(home, '.bash_profile'))]).toEqual([0, false])
})

it('takes no servers out of a file that a link of an added folder leads to', async () => {
  verifies('D11')
  proves('shipped-links')
  const { cwd, env, home } = shipped('given/.mcp.json', '.claude.json', {
    'given/given/SKILL.md': '---\nname: given\ndescription: A skill\n---\nHello\n',
    'crib/toolcrib.yaml': '',
  })
  const own = {
    mcpServers: { own: { url: 'http://127.0.0.1:9/', headers: { Authorization: 'canary-1234' } } },
  }
  writeFileSync(join(home, '.claude.json'), JSON.stringify(own))
  const added = await toolcrib(['add', '../given', '--yes'], { cwd: join(cwd, 'crib'), env })
  expect([added.code, added.stdout + added.stderr]).toEqual([0, expect.not.stringContaining('canary')])
  expect(existsSync(join(cwd, 'crib/.mcp.json'))).toBe(false)
})

it('installs a package of a server without a word from the folder around it, or from a repository it needs', async () => {
  verifies('D9')
  proves('install-alone')
  const pwned = join(tempFolder(), 'pwned')
  const root = tempFolder({
    // Its workspace would hold the state folder, and its settings would name the registry and the programs.
    'crib/package.json': JSON.stringify({ private: true, workspaces: ['.toolcrib/servers/*/*'] }),
    'crib/.npmrc': `registry=http://127.0.0.1:9/\ngit=../evil.sh\n`,
    'evil.sh': `#!/bin/sh\ntouch ${pwned}\nexec git "$@"\n`,
    'needed/package.json': JSON.stringify({
      name: 'needed',
      version: '1.0.0',
      scripts: { prepare: 'exit 1' },
    }),
    'second/package.json': JSON.stringify({ name: 'second', version: '1.0.0' }),
    'pack/x.cjs': '',
  })
  chmodSync(join(root, 'evil.sh'), 0o755)
  const repository = (name: string, needs: object) => {
    const folder = join(root, name)
    writeFileSync(join(folder, '.npmrc'), `git=${join(root, 'evil.sh')}\nignore-scripts=false\n`)
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...needs }))
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
      ['-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '-qm', 'x'],
    ])
      spawnSync('git', args, { cwd: folder })
    return `git+file://${folder}`
  }
  const devDependencies = { second: repository('second', {}) }
  const needed = repository('needed', { scripts: { prepare: 'exit 1' }, devDependencies })
  const pack = { name: 'packed', version: '1.2.3', bin: { packed: 'x.cjs' }, dependencies: { needed } }
  writeFileSync(join(root, 'pack/package.json'), JSON.stringify(pack))
  const cwd = join(root, 'crib')
  const env = { HOME: tempFolder(), TOOLCRIB_TRUST_FOLDER: '0' }
  const { stderr } = await toolcrib(
    ['add', 'packed', '--yes', '--', 'npx', '-y', `file:${join(root, 'pack')}`],
    {
      cwd,
      env,
    },
  )
  expect(stderr).toContain('packed 1.2.3 is installed')
  expect([existsSync(pwned), existsSync(join(cwd, 'node_modules'))]).toEqual([false, false])
  expect(JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))).not.toHaveProperty('dependencies')
})
