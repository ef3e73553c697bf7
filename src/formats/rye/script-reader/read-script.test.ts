import { expect, it } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { readScript } from './read-script.ts'
import type { ScriptParam } from './script-interface.ts'

/** `name*` required, `name?` not, `name[]` a list, with the option in front: `-n:name?`. */
function written({ name, flag, list, isRequired }: ScriptParam): string {
  return `${flag ? `${flag}:` : ''}${name}${list ? '[]' : isRequired ? '*' : '?'}`
}

function read(path: string, text: string): string[] {
  return readScript(path, text).commands[0]!.params.map(written)
}

const shells: readonly (readonly [what: string, text: string, params: readonly string[]])[] = [
  ['uses $1 in place', '#!/bin/sh\nunzip "$1"\n', ['arg1*']],
  ['gives $1 and $2 defaults in place', 'fetch "${1:-home}" "${2:-$MODE}"\n', ['arg1?', 'arg2?']],
  [
    'names them in its comment',
    '# $1 = key\n# $2 = e-mail of the owner\nmake "$1" "$2"\n',
    ['key*', 'arg2*'],
  ],
  ['goes on without an argument', 'if [ $# -gt 0 ]; then note="$1"; fi\n', ['arg1?']],
  ['passes all on', 'exec rsync -a "$@"\n', ['args[]']],
  ['loops over them', 'for file in "$@"; do wc "$file"; done\n', ['files[]']],
  ['hands them to a function', 'main() {\n  cp "$1" "$2"\n}\nmain "$@"\n', ['arg1*', 'arg2*']],
  ['has functions and awk with a $1 of their own', 'say() {\n  echo "$1"\n}\nps | awk \'{print $1}\'\n', []],
  [
    'shows two forms of use',
    '# Usage: tell [-q] <town> or tell [-q] <town> <street>\n',
    ['town*', 'street?'],
  ],
  ['shows forms below each other', '# Usage:\n#   $ rain\n#   $ rain <town>\necho "$1"\n', ['town?']],
  ['names alternatives of one argument', '# usage: pack.sh [dir|file ...]\n', ['dir_or_file[]']],
  [
    'has odd letters and one twice in getopts',
    'while getopts "ab:a*" o; do case $o in a) A=1;; b) B=$OPTARG;; esac; done\n',
    ['-a:a?', '-b:b?'],
  ],
  [
    'sets one variable by two options',
    'while getopts "ed" o; do case $o in e) mode=in;; d) mode=out;; esac; done\n',
    ['-e:mode?', '-d:d?'],
  ],
  [
    'looks whether an option was given, and goes on',
    'while getopts "n:" o; do case $o in n) N=$OPTARG;; esac; done\nif [ -z "$N" ]; then N=5; fi\n',
    ['-n:n?'],
  ],
]

it.each(shells)('reads a shell script that %s', (_, text, params) => {
  verifies('D4')
  expect(read('a.sh', text)).toEqual(params)
})

const described: readonly (readonly [path: string, text: string, description: string | undefined])[] = [
  ['a.sh', '#!/bin/sh\nset -eu\n\n# Frees a port\nkill 1\n', 'Frees a port'],
  [
    'a.sh',
    '# Author: Ada\n# https://example.com/a\n\n##\n## a\n##\n## Lists what is here\n',
    'Lists what is here',
  ],
  ['a.sh', 'cat <<EOF\nCheat\nDescription: Explains commands.\nUsage: a\nEOF\n', 'Explains commands.'],
  ['a.py', '# /// script\n# dependencies = ["click"]\n# ///\n# Sums it up\nprint(1)\n', 'Sums it up'],
  ['a.py', '# /// script\n# dependencies = ["click"]\n# ///\nprint(1)\n', undefined],
  ['a.js', '/* Copyright 2026 Ada\n * All rights reserved. */\nconsole.log(1)\n', undefined],
  ['a.mjs', '// @ts-check\n// Prints one\nconsole.log(1)\n', 'Prints one'],
]

it.each(described)('describes %s by what it does: %j', (path, text, description) => {
  verifies('D4')
  expect(readScript(path, text).description).toBe(description)
})

const elsewhere: readonly (readonly [path: string, text: string, by: string])[] = [
  ['a.mjs', "import meow from 'meow'\nmeow('Usage')\n", 'meow'],
  ['a.js', "const argv = require('minimist')(process.argv.slice(2))\n", 'minimist'],
  ['a.js', "require('../lib/cli.js').run(process.argv)\n", '../lib/cli.js'],
  ['a.py', 'import fire\nfire.Fire()\n', 'fire'],
  ['a.py', 'from shop.cli import main\nmain()\n', 'shop.cli'],
]

it.each(elsewhere)('says of %s that something else reads its arguments: %j', (path, text, by) => {
  verifies('D4')
  expect(readScript(path, text).notes.join()).toContain(` ${by}`)
})

it('reads the usage of yargs and commander, and no opposite of a no', () => {
  verifies('D4')
  const yargs =
    "require('yargs').usage('$0 [-e eye] <words...>').option('no-color', { type: 'boolean' }).argv\n"
  const { commands, description } = readScript('a.js', yargs)
  expect([commands[0]!.params.map(written), description]).toEqual([
    ['--no-color:no_color?', 'words[]'],
    undefined,
  ])
  expect(commands[0]!.params[0]).not.toHaveProperty('off')
  const start = "const { program } = require('commander')\nprogram"
  expect(read('a.js', `${start}.usage('[options] [dir|file ...]').option('-q, --quiet')\n`)).toEqual([
    '--quiet:quiet?',
    'dir_or_file[]',
  ])
  const args = readScript('a.js', `${start}.arguments('[files...]')\n`).commands[0]!.params
  expect(args).toMatchObject([{ name: 'files', fallback: undefined }])
})

const start = 'import argparse\nparser = argparse.ArgumentParser()\n'
const choosing: readonly (readonly [what: string, text: string, choices: readonly unknown[]])[] = [
  [
    'the keys of a map',
    `KINDS = {"a": print, "b": len}\n${start}parser.add_argument("k", choices=list(KINDS.keys()))`,
    ['a', 'b'],
  ],
  [
    'a set, sorted',
    `KINDS = {"b", "a"}\n${start}parser.add_argument("k", choices=sorted(KINDS))`,
    ['a', 'b'],
  ],
  [
    'a list of the function',
    `import argparse\ndef main():\n    kinds = ["a", "b"]\n    p = argparse.ArgumentParser()\n    p.add_argument("k", choices=kinds)\n`,
    ['a', 'b'],
  ],
  [
    'a constant of a class',
    `class Box:\n    KINDS = {"a": 1}\n${start}parser.add_argument("k", choices=Box.KINDS.keys())`,
    ['a'],
  ],
  [
    'an enum',
    `class Kind(str, Enum):\n    A = "x"\n    B = "y"\n${start}parser.add_argument("k", choices=[k.value for k in Kind])`,
    ['x', 'y'],
  ],
  ['words of a text', `${start}parser.add_argument("k", choices="a b".split())`, ['a', 'b']],
  ['a range', `${start}parser.add_argument("k", type=int, choices=range(1, 4))`, [1, 2, 3]],
]

it.each(choosing)('reads choices that are %s', (_, text, choices) => {
  verifies('D4')
  expect(readScript('a.py', text).commands[0]!.params[0]!.choices).toEqual(choices)
})

it('reads parsers that functions get, loops share and functions make', () => {
  verifies('D4')
  const text = `import argparse
SHARED = {"help": f"write to {PLACE} of {3}"}
def common(p, *, quiet=False):
    p.add_argument("--out", **SHARED)
def add_build(subparsers):
    build = subparsers.add_parser("build")
    common(build)
    build.add_argument("target")
    return build
def make():
    parser = argparse.ArgumentParser()
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    return parser
base = make()
subs = base.add_subparsers()
add_build(subs)
clean = subs.add_parser("clean")
clear = subs.add_parser("clear")
for each in (clean, clear):
    each.add_argument("--all", action="store_true")
`
  const { commands, notes } = readScript('a.py', text)
  expect(notes).toEqual([])
  expect(commands.map(({ words, params }) => [...words, ...params.map(written)].join(' '))).toEqual([
    'build --out:out? target*',
    'clean --all:all?',
    'clear --all:all?',
  ])
  expect(commands[0]!.params[0]!.description).toBe('write to … of 3')
})

const usages: readonly (readonly [what: string, text: string, params: readonly string[]])[] = [
  [
    'starts with an interpreter',
    '# Usage: bash lib/a.sh [seconds] [log.txt]  (2, a.log)\n',
    ['seconds?', 'log?'],
  ],
  ['names paths', 'echo "Usage: $0 <path/to/body.tex> <out-dir>"\n', ['body*', 'out_dir*']],
  [
    'shows examples first',
    '# Usage:\n#   a.sh --src x/y.c\nusage() { echo "Usage: $0 <file>"; }\n',
    ['file*'],
  ],
  [
    'has remarks',
    '# Usage:\n#   a.sh <new-version>   Bump all\n#   a.sh --check         Report\n',
    ['new_version?'],
  ],
  [
    'shows what an option takes',
    '# Usage: a.sh --mode fast|slow --out DIR [--cc clang] [more ...]\nwhile [ $# -gt 0 ]; do\n  case "$1" in\n    --mode) MODE=$2; shift 2;;\n    --out) OUT=$2; shift 2;;\n    --cc) CC=$2; shift 2;;\n  esac\ndone\n',
    ['--mode:mode*', '--out:out*', '--cc:cc?', 'more[]'],
  ],
  [
    'has a case of a helper before that of its options',
    'kind() {\n  case "$1" in\n    py) echo 1;;\n    js) echo 2;;\n  esac\n}\nfor arg in "$@"; do\n  case "$arg" in\n    --all) ALL=1;;\n    --to=*) TO="${arg#*=}";;\n    *) FILES+=("$arg");;\n  esac\ndone\n',
    ['--all:all?', '--to:to?', 'files[]'],
  ],
  [
    'looks for one word',
    'log() { echo "$1"; }\nif [ "${1:-}" = "--dry-run" ]; then DRY=1; fi\n',
    ['--dry-run:dry_run?'],
  ],
]

it.each(usages)('reads the arguments of a shell script that %s', (_, text, params) => {
  verifies('D4')
  expect(read('a.sh', text)).toEqual(params)
})

const plain: readonly (readonly [path: string, text: string, params: readonly string[]])[] = [
  [
    'a.py',
    '"""Usage:\n    uv run a.py RAW OUT [--important] [--scans s.json]\n"""\nimport sys\nimportant = "--important" in sys.argv\nif "--scans" in sys.argv: pass\n',
    ['--important:important?', '--scans:scans?', 'raw*', 'out*'],
  ],
  [
    'a.py',
    'import sys\nif len(sys.argv) != 3:\n    print("Usage: a.py [input pdf] [output directory]")\n    sys.exit(1)\nrun(sys.argv[1], sys.argv[2])\n',
    ['input_pdf*', 'output_directory*'],
  ],
  [
    'a.py',
    'import sys\nif len(sys.argv) < 2:\n    print("Usage: python a.py <results.json> [options]")\n    print("  --format FORMAT   Output format")\n    print("  --summary         Show a summary")\n    sys.exit(1)\nif arg == "--format" or arg == "--summary": pass\n',
    ['--format:format?', '--summary:summary?', 'results*'],
  ],
  [
    'a.mjs',
    '/*\n * Usage:\n *   node lib/a.mjs [--dir <folder>] [--top N]\n */\nconst argv = process.argv.slice(2)\nflag("--dir"); flag("--top")\n',
    ['--dir:dir?', '--top:top?'],
  ],
  [
    'a.mjs',
    '// Usage: node a.mjs [--days 30]\nfunction parseArgs(argv) { if (argv[0] === "--days") return argv[1] }\nparseArgs(process.argv.slice(2))\n',
    ['--days:days?'],
  ],
  ['a.py', '"""Usage:\n    from office import run\n"""\nprint(1)\n', []],
]

it.each(plain)('reads %s by the usage that it shows: %j', (path, text, params) => {
  verifies('D4')
  expect(read(path, text)).toEqual(params)
})
