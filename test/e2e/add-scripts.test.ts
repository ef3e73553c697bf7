// Thirty scripts as people write them, each added by one command: what comes out is called by the arguments that the
// script itself understands.
import { chmodSync, cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { type Ran, toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const scripts = fileURLToPath(new URL('../helpers/fixtures/scripts', import.meta.url))
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

type Call = readonly [id: string, params: object, argv: readonly string[]]

/** What a caller gives, and the words the script gets after its own name. */
const table: { readonly [script: string]: readonly Call[] } = {
  'report.py': [
    [
      'report',
      { table: 'a.csv', min_total: 2.5, verbose: true },
      ['--by=region', '--limit=10', '--min-total=2.5', '--format=text', '--verbose', 'a.csv'],
    ],
  ],
  'twelve_options.py': [
    [
      'twelve-options',
      { tag: ['x', 'y'], only: ['one', 'two'], keep: true, no_meta: true, mode: 'crop' },
      '--source=in --target=out --width=800 --height=600 --quality=8 --scale=1 --mode=crop --suffix= --tag=x --tag=y --only one two --keep --no-meta'.split(
        ' ',
      ),
    ],
  ],
  'inventory.py': [
    ['inventory/add', { name: 'saw', count: 2 }, ['--file=inventory.json', 'add', '--count=2', 'saw']],
    ['inventory/remove', { name: 'saw', all: true }, ['--file=inventory.json', 'remove', '--all', 'saw']],
    ['inventory/list', { sort: 'count' }, ['--file=inventory.json', 'list', '--sort=count']],
  ],
  'merge_csv.py': [
    ['merge-csv', { files: ['a', 'b'], out: 'c', quiet: false, loud: true }, ['--out=c', '--loud', 'a', 'b']],
  ],
  'class_cli.py': [['class-cli', { degrees: 21.5, to: 'f' }, ['--to=f', '21.5']]],
  'shared_parent.py': [
    ['shared-parent/start', {}, ['start', '--host=localhost', '--port=80']],
    ['shared-parent/stop', { host: 'b' }, ['stop', '--host=b']],
  ],
  'boolean_optional.py': [
    ['boolean-optional', { color: false }, ['--no-color', 'hello']],
    ['boolean-optional', { color: true, line: 'x' }, ['--color', 'x']],
  ],
  'old_style.py': [
    ['old-style', { file: ['a', 'b'], ignore_case: true }, ['--minimum=1', '--ignore-case', 'a', 'b']],
  ],
  'greet_click.py': [
    [
      'greet-click',
      { name: 'Ada', shout: true, tag: ['a', 'b'] },
      ['--count=1', '--mood=calm', '--shout', '--tag=a', '--tag=b', 'Ada'],
    ],
  ],
  'notes_click.py': [
    ['notes-click/add', { text: ['a', 'b'], pin: true }, ['--book=notes', 'add', '--pin', 'a', 'b']],
    ['notes-click/show-all', {}, ['--book=notes', 'show-all', '--limit=5']],
  ],
  'weather_typer.py': [
    [
      'weather-typer',
      { town: 'Rome', unit: 'fahrenheit' },
      ['--days=3', '--unit=fahrenheit', '--no-wind', 'Rome'],
    ],
  ],
  'tasks_typer.py': [
    ['tasks-typer/add', { title: 'x', tags: ['a'] }, ['add', '--tag=a', 'x']],
    ['tasks-typer/done', { number: 3, quiet: true }, ['done', '--quiet', '3']],
  ],
  'area.py': [['area', { width: 2, height: 3 }, ['2', '3', 'm']]],
  'upper.py': [['upper', { input: 'abc' }, []]],
  'today.py': [['today', {}, []]],
  'backup.sh': [['backup', { folder: 'x', verbose: true, keep: 5 }, ['-n', 'copy', '-k', '5', '-v', 'x']]],
  'deploy.sh': [
    [
      'deploy',
      { target: 'h', tag: ['a', 'b'], dry_run: true },
      ['--target', 'h', '--branch', 'main', '--tag', 'a', '--tag', 'b', '--dry-run'],
    ],
  ],
  'service.sh': [
    ['service/start', { arg1: 'web' }, ['start', 'web']],
    ['service/status', {}, ['status', 'all']],
    ['service/list', {}, ['list']],
  ],
  'copy_aside.sh': [['copy-aside', { source_file: 'a' }, ['a', '/tmp/copies', '1']]],
  'hello.sh': [['hello', {}, []]],
  'wc_args.sh': [['wc-args', { word: 'a', more: ['b', 'c'] }, ['a', 'b', 'c']]],
  'bundle.js': [
    [
      'bundle',
      { entry: 'a.js', platform: 'node', minify: true, define: ['x=1', 'y=2'] },
      [
        '--minify',
        '--format=esm',
        '--level=2',
        '--define',
        'x=1',
        'y=2',
        '--platform=node',
        '--',
        'a.js',
        'out.js',
      ],
    ],
  ],
  'jobs.mjs': [
    ['jobs/run', { name: 'n', times: 2 }, ['run', '--times=2', '--size=small', 'n']],
    ['jobs/list', { no_done: true }, ['list', '--no-done']],
  ],
  'fetch_page.mjs': [
    [
      'fetch-page',
      { address: 'https://x', follow: false, header: ['a', 'b'] },
      ['--address=https://x', '--retries=2', '--kind=html', '--no-follow', '--header=a', '--header=b'],
    ],
  ],
  'users_yargs.js': [
    ['users-yargs/create', { login: 'ada', admin: true }, ['create', '--admin', 'ada']],
    ['users-yargs/purge', {}, ['purge', '--days=30']],
  ],
  'stamp.mjs': [
    [
      'stamp',
      { title: 't', upper: true, label: ['a'], rest: ['r'] },
      ['--title=t', '--width=40', '--upper', '--label=a', 'here', 'r'],
    ],
  ],
  'slug.js': [['slug', { title: 'A b' }, ['A b']]],
  'checksum.ts': [['checksum', { double: true }, ['--word=abc', '--double']]],
  tally: [['tally', { amount: '3', twice: true }, ['--unit=m', '--twice', '3']]],
}

/** A crib with all scripts, and the packages they want as far as they are here. */
function cribOfScripts(): string {
  const root = tempFolder({ 'toolcrib.yaml': '' })
  cpSync(scripts, root, { recursive: true })
  cpSync(join(modules, 'commander'), join(root, 'node_modules/commander'), { recursive: true })
  return root
}

it('of thirty scripts twenty-nine become tools that need no edit, and the other says what could not be read', async () => {
  verifies('D4')
  const root = cribOfScripts()
  const added = new Map<string, Ran>()
  for (const script of [...Object.keys(table), 'dynamic.py'])
    added.set(script, await toolcrib(['add', `./${script}`, '--yes', '--json'], { cwd: root }))
  for (const [script, ran] of added) expect(ran, script).toMatchObject({ code: 0 })

  const wrong: object[] = []
  for (const [script, calls] of Object.entries(table)) {
    expect(added.get(script)!.json.tools.toSorted()).toEqual([...new Set(calls.map(([id]) => id))].toSorted())
    for (const [id, params, argv] of calls) {
      const { json } = await toolcrib(
        ['run', id, '--params', JSON.stringify(params), '--dry-run', '--json'],
        {
          cwd: root,
        },
      )
      const at = json.plan?.argv.findIndex((word: string) => word.endsWith(`/${script}`))
      const got = json.plan?.argv.slice(at + 1) ?? json.error
      if (JSON.stringify(got) !== JSON.stringify(argv)) wrong.push({ id, params, argv, got })
    }
  }
  expect(wrong).toEqual([])
  expect(added.get('dynamic.py')!.json.notes.join('\n')).toContain('line 7')

  expect(await toolcrib(['check', '--strict', '--json'], { cwd: root })).toMatchObject({ code: 0 })
  const tested = await toolcrib(['test', '--json'], { cwd: root })
  expect(tested.json).toMatchObject({ failed: 0 })
  expect(tested.json.passed).toBeGreaterThanOrEqual(12)
}, 300_000)

it('the tools run, and an example that was given is tried and kept', async () => {
  verifies('D4', 'D5')
  const root = cribOfScripts()
  const example = '{"table":"sales.csv"}'
  const { json } = await toolcrib(['add', './report.py', '--yes', '--example', example, '--json'], {
    cwd: root,
  })
  expect(json.notes.join()).toContain('worked and is kept')
  const text = readFileSync(join(root, '.ai/tools/report.yaml'), 'utf8')
  expect(text).toContain('table: sales.csv')
  const ran = await toolcrib(['run', 'report', '--table', 'x.csv', '--limit', '3', '--json'], { cwd: root })
  expect(ran.json).toMatchObject({ ok: true, value: { table: 'x.csv', limit: 3, format: 'text' } })
  await toolcrib(['add', './backup.sh', '--yes'], { cwd: root })
  const backup = await toolcrib(['run', 'backup', '--folder', 'f'], { cwd: root })
  expect(backup.stdout).toBe('name=copy keep=3 verbose=no folder=f\n')
}, 60_000)

it('gives a tool that was just added the example that was asked for, and refuses one of several tools', async () => {
  verifies('D4')
  const cwd = tempFolder({
    'greet.sh': '#!/bin/sh\n# Says hello\necho "hello $1"\n',
    'svc.sh': '#!/bin/sh\ncase "$1" in\n start) echo "start $2" ;;\n stop) echo stop ;;\nesac\n',
  })
  const first = await toolcrib(['add', './greet.sh', '--yes'], { cwd })
  const [, example] = /--example '([^']+)'/.exec(first.stderr)!
  const again = await toolcrib(['add', './greet.sh', '--yes', '--example', example!], { cwd })
  expect(again.stderr).toContain('worked and is kept as its example')
  expect((await toolcrib(['test', '--json'], { cwd })).json).toMatchObject({ passed: 1, failed: 0 })
  const edited = await toolcrib(['add', './greet.sh', '--yes', '--example', example!], { cwd })
  expect(edited.stderr).toContain('exists already')
  const several = await toolcrib(['add', './svc.sh', '--yes', '--example', '{}'], { cwd })
  expect(several.stderr).toContain('svc.sh becomes 2 tools, and --example is of one: add it without.')
  const each = await toolcrib(['add', './svc.sh', '--yes'], { cwd })
  expect(each.stderr).toContain('guessed. Call it: toolcrib run svc/start --arg1 …')
})

it('shows the file and writes nothing with --dry-run, nor without a yes', async () => {
  verifies('D4')
  const root = cribOfScripts()
  for (const flags of [['--dry-run'], []]) {
    const ran = await toolcrib(['add', './hello.sh', ...flags], { cwd: root })
    expect(ran.stderr).toContain('.ai/tools/hello.yaml')
    expect(ran.stderr).toContain('Nothing was written')
    expect(existsSync(join(root, '.ai'))).toBe(false)
  }
})

it.each(['', 'scripts/'])(
  'a script in "%s" writes the file it names beside itself again and again',
  async (folder) => {
    verifies('D5', 'G24')
    const script = `import argparse, os
p = argparse.ArgumentParser()
p.add_argument("text")
open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "out.txt"), "w").write(p.parse_args().text)
`
    const cwd = tempFolder({ [`${folder}note.py`]: script })
    expect(await toolcrib(['add', `./${folder}note.py`, '--yes'], { cwd })).toMatchObject({ code: 0 })
    expect(await toolcrib(['lock'], { cwd })).toMatchObject({ code: 0 })
    for (const text of ['one', 'two']) {
      expect(await toolcrib(['run', 'note', '--text', text, '-q'], { cwd })).toMatchObject({ code: 0 })
      expect(readFileSync(join(cwd, `${folder}out.txt`), 'utf8')).toBe(text)
    }
  },
)

it('takes in every script of a folder; one that cannot be read stops no other and is told', async () => {
  verifies('D4')
  const files = { 'tools/a.sh': '# Says one\necho 1\n', 'tools/b.py': 'def f(:\n', 'tools/c.txt': '' }
  const cwd = tempFolder({ ...files, 'tools/d.py': 'print(2)\n', 'e.sh': 'echo 3\n' })
  const added = await toolcrib(['add', './tools', '--yes', '-q'], { cwd })
  expect(added).toMatchObject({ code: 4, stdout: expect.stringMatching(/a\.yaml\n.*d\.yaml\n$/) })
  expect(added.stderr).toMatch(/tools\/b\.py was left out: tools\/b\.py:1: /)
  const again = await toolcrib(['add', '.', '--yes', '--json'], { cwd })
  expect(again.json.tools).toEqual(['e'])
}, 60_000)

it('a value cannot pass for an option', async () => {
  verifies('D4')
  const root = cribOfScripts()
  await toolcrib(['add', './wc_args.sh', '--yes'], { cwd: root })
  const { json, code } = await toolcrib(['run', 'wc-args', '--params', '{"word":"--help"}', '--json'], {
    cwd: root,
  })
  expect(json.error).toMatchObject({ code: 'COMMAND_ARG_REFUSED' })
  expect(code).toBe(4)
})

const bad: readonly (readonly [name: string, text: string, answer: RegExp])[] = [
  ['hangs.pl', '#!/usr/bin/perl\nsleep 600;\n', /did not end within 5 s/],
  ['floods.pl', '#!/usr/bin/perl\nprint "x" x 1024, "\\n" for 1..102400;\n', /printed more than 256 KiB/],
  ['broken.py', 'def f(:\n  pass\n', /broken\.py:1: /],
  ['broken.js', 'const = 1\n', /broken\.js:1: /],
  ['broken.sh', 'if true; then\n  touch made\n', /broken\.sh:3: .*unexpected end of file/],
  ['broken-dash', '#!/bin/sh\ncase "$1" in\n', /broken-dash:3: /],
  ['thing', 'no shebang\n', /no shebang, no known ending and is not executable/],
]

it.each(bad)(
  '%s is told by what is wrong with it',
  async (name, text, answer) => {
    verifies('D4')
    const root = tempFolder({ [name]: text })
    const ran = await toolcrib(['add', `./${name}`, '--yes'], { cwd: root })
    expect(ran.stderr).toMatch(answer)
  },
  60_000,
)

it('a script without execute permission works, a missing one and one outside the crib are told apart', async () => {
  verifies('D4')
  const root = tempFolder({ 'crib/toolcrib.yaml': '', 'crib/a.sh': 'echo hi\n', 'b.sh': 'echo no\n' })
  const cwd = join(root, 'crib')
  chmodSync(join(cwd, 'a.sh'), 0o644)
  await toolcrib(['add', './a.sh', '--yes'], { cwd })
  expect((await toolcrib(['run', 'a'], { cwd })).stdout).toBe('hi\n')
  expect((await toolcrib(['add', './none.sh'], { cwd })).stderr).toContain('There is no file')
  expect((await toolcrib(['add', '../b.sh'], { cwd })).stderr).toContain('lies outside the crib')
  symlinkSync(join(root, 'b.sh'), join(cwd, 'link.sh'))
  expect((await toolcrib(['add', './link.sh'], { cwd })).stderr).toContain('it is a link')
  const again = await toolcrib(['add', './a.sh', '--yes', '--json'], { cwd })
  expect(again.json.error).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('added from a.sh'),
  })
}, 60_000)

it('a package that is missing is named with the interpreter and the command that brings it', async () => {
  verifies('D6')
  const root = tempFolder({
    'p.py': 'import no_such_package_here\n',
    'q.mjs': "import x from 'no-such-package-here'\nconsole.log(x)\n",
  })
  const added = await toolcrib(['add', './p.py', '--yes'], { cwd: root })
  expect(added.stderr).toMatch(
    /This tool runs with \S+python\S*, which has no no_such_package_here\. .*pip install/,
  )
  await toolcrib(['add', './q.mjs', '--yes'], { cwd: root })
  const { json } = await toolcrib(['run', 'q', '--json'], { cwd: root })
  expect(json.error.hint).toMatch(/npm install no-such-package-here/)
}, 60_000)

it('a file that exists and was not shown is named with the grant', async () => {
  verifies('D5')
  const root = tempFolder({ 'crib/toolcrib.yaml': '', 'outside.txt': 'x', 'crib/r.py': '' })
  const cwd = join(root, 'crib')
  writeFileSync(join(cwd, 'r.py'), `print(open(${JSON.stringify(join(root, 'outside.txt'))}).read())\n`)
  await toolcrib(['add', './r.py', '--yes'], { cwd })
  const { json } = await toolcrib(['run', 'r', '--json'], { cwd })
  expect(json.error.hint).toContain('outside.txt exists, but this tool was not shown it')
  expect(json.error.hint).toContain('fs.read:')
}, 60_000)
