import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/surfaces/cli/registry.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli, toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const greet = `export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'node/node'
export const __category__ = 'utility'
export const __tool_description__ = 'Greet someone'
export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Whom to greet' },
    times: { type: 'integer', default: 1, description: 'How often' },
    loud: { type: 'boolean', default: false, description: 'In capitals' },
    tags: { type: 'array', items: { type: 'integer' }, description: 'Labels' },
  },
  required: ['name'],
  additionalProperties: false,
}
export default (params) => ({ success: true, data: params })
`
/** Runs a line of bash; the exit code is that of the first program that failed. */
function shell(line: string, cwd: string): Promise<{ stderr: string; code: number }> {
  return new Promise((resolve) =>
    execFile('bash', ['-o', 'pipefail', '-c', line], { cwd }, (error, _stdout, stderr) =>
      resolve({ stderr, code: error ? Number(error.code) : 0 }),
    ),
  )
}

const crib = () => tempFolder({ '.ai/tools/utility/greet.mjs': greet, 'toolcrib.yaml': 'trust: warn\n' })

describe('toolcrib', () => {
  it('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(await toolcrib(['--version'], { cwd: tempFolder() })).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    })
  })

  it.each(commands.map((command) => command.name))('%s has help with examples', async (name) => {
    const help = await toolcrib([name, '--help'], { cwd: tempFolder() })
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain(`Examples:\n  `)
    expect(help.stdout).toContain('--json')
  })

  it.each(['./skills/x.skill.js#f', 'skills/x.skill.js#f', 'x#f'])(
    'takes no part of a file: %s',
    async (ref) => {
      verifies('S51')
      const cwd = tempFolder({ 'skills/x.skill.js': 'export default () => 1\n' })
      const { code, json } = await toolcrib(['run', ref, '--json'], { cwd })
      expect(code).toBe(4)
      expect(json).toMatchObject({
        ok: false,
        error: { code: 'REF_INVALID', hint: expect.stringContaining('#') },
      })
    },
  )

  it('lists every command in its help', async () => {
    const { stdout, code } = await toolcrib(['--help'], { cwd: tempFolder() })
    expect(code).toBe(0)
    for (const { name } of commands) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
  })

  it.each([
    [['lst'], 2, 'Did you mean "list"?'],
    [['list', '--nope'], 2, '--nope'],
    [['list', '--format', 'xml'], 2, 'rye'],
    [['show'], 2, 'ref'],
    [['show', 'utility/gret'], 3, 'Did you mean "utility/greet"?'],
    [['run', 'utility/greet', '--params', '{'], 2, '--params is not JSON'],
    [['run', 'utility/greet', '--params', '@missing.json'], 2, 'cannot be read'],
    [['run', 'utility/greet'], 4, '/name is required'],
    [['run', 'utility/greet', '--name', 'Ada', '--timeout', 'soon'], 2, 'seconds'],
    [['run', 'rye/core/runtimes/node/node'], 4, 'TOOL_NOT_CALLABLE'],
    [['run', 'rye/bash/bash', '--command', 'true'], 5, 'shell.execute'],
    [['run'], 3, 'MAIN_MISSING'],
    [['new', 'rye', '../escape'], 2, 'cannot be a tool id'],
    [['new', 'ruy', 'x'], 2, 'Did you mean "rye"?'],
    [['new', 'tool-code', 'x'.repeat(65)], 2, 'at most 64 characters'],
    [['schema', 'confg'], 2, 'Did you mean "config"?'],
    [['completion', 'tcsh'], 2, 'bash, zsh or fish'],
  ])('%j exits %i and says why', async (args, code, words) => {
    const ran = await toolcrib(args, { cwd: crib() })
    expect(ran.code).toBe(code)
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toContain(words)
  })

  it('keeps stdout one JSON document even when it fails', async () => {
    const ran = await toolcrib(['show', 'nope', '--json'], { cwd: crib() })
    expect(ran.code).toBe(3)
    expect(ran.json).toMatchObject({ ok: false, error: { code: 'TOOL_NOT_FOUND' } })
  })
})

describe('shipped file tools', () => {
  it.each([
    [['read', '--path', 'nope.txt'], 'nope.txt does not exist'],
    [['read', '--path', '.'], '. is a folder, not a file'],
    [['read', '--path', '../x'], '../x is outside the project'],
    [['list', '--path', 'toolcrib.yaml'], 'toolcrib.yaml is not a folder'],
    [['grep', '--pattern', '(', '--regex'], 'Invalid regular expression'],
  ])('refuse %j in one plain sentence', async ([name, ...flags], sentence) => {
    const ran = await toolcrib(['run', `rye/file-system/${name}`, ...flags], { cwd: crib() })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain(`TOOL_FAILED: ${sentence}`)
    expect(ran.stderr).not.toContain('    at ')
  })
})

describe('list and show', () => {
  it('end quietly when their reader has seen enough', async () => {
    const { stderr, code } = await shell(`${process.execPath} ${cli} list --json | head -c 1`, crib())
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  })

  it('lists tools and problems as data, sorted by id', async () => {
    const { json, code } = await toolcrib(['list', '--json'], { cwd: crib() })
    expect(code).toBe(0)
    const ids = json.tools.map((tool: { id: string }) => tool.id)
    expect(ids).toEqual([...ids].sort())
    expect(ids).toContain('utility/greet')
    expect(ids).toContain('rye/file-system/read')
    expect(json.problems).toEqual([])
  })

  it('finds the crib from a folder below it, and says so', async () => {
    verifies('G1')
    const cwd = crib()
    const { json, stderr } = await toolcrib(['list', '--format', 'rye', '--json'], {
      cwd: join(cwd, '.ai/tools/utility'),
      env: { HOME: '/nowhere' },
    })
    expect(json.tools.map((tool: { id: string }) => tool.id)).toContain('utility/greet')
    expect(json.root).toBe(cwd)
    expect(stderr).toBe(`The crib is ${cwd}.\n`)
  })

  it('marks what is experimental', async () => {
    const cwd = tempFolder({
      '.ai/tools/x.yaml':
        'tool_id: x\ntool_type: script\nversion: "1.0.0"\ncategory: ""\ndescription: d\nexecutor_id: subprocess\nconfig: {command: echo}\nmetadata: {experimental: true}\n',
    })
    expect((await toolcrib(['list'], { cwd })).stdout).toMatch(/^x \(experimental\) +rye +d$/m)
  })

  it('takes common options before the command too', async () => {
    const cwd = crib()
    const { json } = await toolcrib(['-C', cwd, '--json', 'show', 'utility/greet'], { cwd: tempFolder() })
    expect(json).toMatchObject({
      tool: { id: 'utility/greet', version: '1.0.0', trust: { status: 'unsigned' } },
      grants: ['fs.read', 'fs.write'],
      profile: { network: { mode: 'none' } },
    })
    expect(json.chain.map((link: { id: string }) => link.id)).toEqual([
      'utility/greet',
      'rye/core/runtimes/node/node',
      'rye/core/primitives/subprocess',
    ])
    expect(json.chain.map((link: { trust: string }) => link.trust)).toEqual([
      'unsigned',
      'trusted',
      'trusted',
    ])
  })

  it('writes no colour codes to a pipe, and does when asked', async () => {
    const cwd = crib()
    expect((await toolcrib(['list'], { cwd })).stdout).not.toContain('\u001b[')
    expect((await toolcrib(['list'], { cwd, env: { FORCE_COLOR: '1' } })).stdout).toContain('\u001b[')
  })
})

describe('run', () => {
  it('types flags by the schema', async () => {
    const { json } = await toolcrib(
      [
        'run',
        'utility/greet',
        '--name',
        '7',
        '--times',
        '3',
        '--loud',
        '--tags',
        '1',
        '--tags',
        '2',
        '--json',
      ],
      { cwd: crib() },
    )
    expect(json).toMatchObject({
      ok: true,
      value: { data: { name: '7', times: 3, loud: true, tags: [1, 2] } },
    })
  })

  it('takes parameters from standard input and a file, flags over them', async () => {
    const cwd = crib()
    const fromInput = await toolcrib(['run', 'utility/greet', '--params', '-', '--times', '2', '--json'], {
      cwd,
      input: '{"name":"Ada","times":9}',
    })
    expect(fromInput.json.value.data).toMatchObject({ name: 'Ada', times: 2 })
  })

  it('prints the value on stdout and nothing else', async () => {
    const ran = await toolcrib(['run', 'utility/greet', '--name', 'Ada', '-q'], { cwd: crib() })
    expect(JSON.parse(ran.stdout)).toMatchObject({ success: true, data: { name: 'Ada' } })
    expect(ran.stderr).toBe('')
  })

  it('answers a dry run with the plan', async () => {
    verifies('R27')
    const { json } = await toolcrib(['run', 'utility/greet', '--name', 'Ada', '--dry-run', '--json'], {
      cwd: crib(),
    })
    expect(json).toMatchObject({
      ok: true,
      dryRun: true,
      tool: 'utility/greet',
      runtime: 'rye-worker',
      trust: 'unsigned',
      grants: ['fs.read', 'fs.write'],
    })
    expect(json.chain[0]).toEqual({
      item_id: 'utility/greet',
      tier: 'project',
      tool_type: 'javascript',
      executor_id: expect.stringContaining('node'),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(json.chain.at(-1)).toMatchObject({ tool_type: 'primitive', executor_id: null })
  })

  it('shows a tool’s own parameters in its help', async () => {
    const { stdout } = await toolcrib(['run', 'utility/greet', '--help'], { cwd: crib() })
    expect(stdout).toMatch(/--name <string>\s+Whom to greet \(required\)/)
  })
})

describe('check and why', () => {
  it('exits 4 and points at the line when a definition is wrong', async () => {
    const cwd = tempFolder({
      '.ai/tools/x.yaml':
        'tool_id: x\ntool_type: script\nversion: "1"\ncategory: ""\ndescription: d\nexecutor_id: subprocess\n',
    })
    const { code, json } = await toolcrib(['check', '--json'], { cwd })
    expect(code).toBe(4)
    expect(json).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([
        expect.objectContaining({ code: 'version-invalid', line: 3, file: join(cwd, '.ai/tools/x.yaml') }),
      ]),
    })
  })

  it('explains an ignored file', async () => {
    const cwd = tempFolder({ '.gitignore': 'secret/\n', '.ai/tools/secret/x.py': '' })
    const { json } = await toolcrib(['why', '.ai/tools/secret/x.py', '--json'], { cwd })
    expect(json.findings).toMatchObject([{ code: 'ignored', message: expect.stringContaining('.gitignore') }])
  })

  it('says so when nothing is wrong', async () => {
    const { json } = await toolcrib(['why', 'utility/greet', '--json'], { cwd: crib() })
    expect(json.findings).toMatchObject([{ code: 'fine' }])
  })
})

describe('config explain', () => {
  it('names file, variable and default as origins', async () => {
    const { json } = await toolcrib(['config', 'explain', '--json'], {
      cwd: crib(),
      env: { TOOLCRIB_PORT: '5001' },
    })
    const from = (key: string) => json.settings.find((setting: { key: string }) => setting.key === key)
    expect(from('trust')).toMatchObject({ value: 'warn', from: expect.stringMatching(/toolcrib\.yaml$/) })
    expect(from('serve.port')).toMatchObject({ value: 5001, from: 'environment TOOLCRIB_PORT' })
    expect(from('bus')).toMatchObject({ value: 'memory', from: 'default' })
  })
})

describe('new', () => {
  it.each([
    ['rye', 'text/count', 'py', 'text/count', 1],
    ['rye', 'text/count', 'js', 'text/count', 1],
    ['rye', 'text/count', 'ts', 'text/count', 1],
    ['rye', 'text/count', 'sh', 'text/count', 1],
    ['rye', 'text/print', 'yaml', 'text/print', 1],
    ['tools-json', 'find-text', 'json', 'find_text_search', 2],
    ['tool-code', 'word_count', 'json', 'word_count', 1],
    ['skill', 'word-count', 'js', 'word-count', 1],
    ['skill', 'word-count', 'ts', 'word-count', 1],
    ['skill', 'summary', 'md', 'summary', 0],
    ['mcp', 'words', 'js', 'words-count', 1],
  ])(
    'writes a %s tool %s in %s that passes a strict check and its own test',
    async (format, id, language, ref, examples) => {
      const cwd = tempFolder({ 'toolcrib.yaml': '' })
      expect((await toolcrib(['new', format, id, '--language', language, '--json'], { cwd })).code).toBe(0)
      expect((await toolcrib(['check', '--strict'], { cwd })).stdout).toBe('')
      const tested = await toolcrib(['test', ref, '--json'], { cwd })
      expect(tested.json).toMatchObject({ passed: examples, failed: 0, skipped: language === 'md' ? 1 : 0 })
    },
  )

  it.each([
    ['rye', 'a/b', 'yaml', '.ai/tools/a/b.yaml'],
    ['rye', 'a/b', 'py', '.ai/tools/a/b.examples.yaml'],
    ['tools-json', 'a-b', 'json', 'skills/a-b/tools.json'],
    ['tool-code', 'a_b', 'json', 'crumbs/a_b.json'],
    ['mcp', 'a-b', 'js', '.mcp.examples.yaml'],
  ])('points the editor to a schema that is there: %s %s in %s', async (format, id, language, file) => {
    const cwd = tempFolder()
    await toolcrib(['new', format, id, '--language', language], { cwd })
    const [, schema] = /\$schema"?[=:] ?"?([^"\n]+)/.exec(readFileSync(join(cwd, file), 'utf8'))!
    expect(JSON.parse(readFileSync(join(cwd, dirname(file), schema!), 'utf8'))).toHaveProperty('title')
  })

  it('asks for what is missing on a terminal', async (test) => {
    if (spawnSync('script', ['--version']).status !== 0) test.skip('script (util-linux) is not here')
    const cwd = tempFolder({ 'toolcrib.yaml': '' })
    const child = spawn(
      'script',
      ['-qec', `stty cols 80 rows 24; ${process.execPath} ${cli} new`, '/dev/null'],
      {
        cwd,
        env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TERM: 'xterm' },
      },
    )
    let screen = ''
    child.stdout.on('data', (chunk) => {
      screen += chunk
    })
    const shows = (text: string) => expect.poll(() => screen, { timeout: 20_000 }).toContain(text)
    await shows('In which format?')
    child.stdin.write('\r')
    await shows('In which language?')
    child.stdin.write('\u001b[B\r')
    await shows('Under which id?')
    child.stdin.write('text/asked\r')
    await shows('Next: toolcrib check')
    child.stdin.end()
    expect(existsSync(join(cwd, '.ai/tools/text/asked.js'))).toBe(true)
  })

  it('says what to give when nobody can be asked', async () => {
    const ran = await toolcrib(['new'], { cwd: tempFolder() })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('toolcrib new rye text/count')
  })

  it('overwrites nothing', async () => {
    const cwd = tempFolder({ '.ai/tools/x.py': 'mine' })
    const ran = await toolcrib(['new', 'rye', 'x'], { cwd })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(readFileSync(join(cwd, '.ai/tools/x.py'), 'utf8')).toBe('mine')
  })
})

describe('completion', () => {
  it.each([
    [['ru'], ['run']],
    [['show', 'utility/'], ['utility/greet']],
    [['run', 'utility/greet', '--na'], ['--name']],
    [
      ['run', 'utility/greet', '--loud', ''],
      ['true', 'false'],
    ],
    [['run', 'utility/greet', '--dry'], ['--dry-run']],
    [['-C', '.', 'show', 'utility/'], ['utility/greet']],
    [
      ['list', '--format', 'to'],
      ['tools-json', 'tool-code'],
    ],
    [['new', 'r'], ['rye']],
    [['schema', 'tools'], ['tools-json']],
    [['convert', 'utility/greet', '--to', 's'], ['skill']],
    [['help', 'do'], ['doctor']],
  ])('completes %j', async (words, expected) => {
    const ran = await toolcrib(['completion', 'words', '--', ...words], { cwd: crib() })
    expect(ran.stdout.trim().split('\n')).toEqual(expect.arrayContaining(expected))
  })
})
