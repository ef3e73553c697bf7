// Libraries for arguments, each in a script as its own documentation writes one.
import { expect, it } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { readScript } from './read-script.ts'
import type { ScriptParam } from './script-interface.ts'

/** `flag:name`, then `*` required, `[]` a list, `=value` its default, `(a|b)` its choices. */
function written({ name, flag, off, list, isRequired, fallback, choices }: ScriptParam): string {
  return [
    flag ? `${flag}${off ? `/${off}` : ''}:` : '',
    name,
    list ? '[]' : '',
    isRequired ? '*' : '',
    fallback === undefined ? '' : `=${fallback}`,
    choices ? `(${choices.join('|')})` : '',
  ].join('')
}

function read(path: string, text: string): { [words: string]: string[] } {
  return Object.fromEntries(
    readScript(path, text).commands.map(({ words, params }) => [words.join(' '), params.map(written)]),
  )
}

const docopt = `"""Naval Fate.

Usage:
  ship.py new <name>...
  ship.py move <name> <x> <y> [--speed=<kn>]
  ship.py mine (set|remove) <x> <y> [--moored | --drifting]
  ship.py -h | --help

Options:
  -h --help     Show this screen.
  --speed=<kn>  Speed in knots [default: 10].
  --moored      Moored (anchored) mine.
"""
from docopt import docopt
print(docopt(__doc__))
`

const fireClass = `import fire
class Calculator:
    def __init__(self, precision: int = 2):
        self.precision = precision
    def add(self, a: float, b=1.5, loud=False, *rest, **more):
        """Add.

        Args:
            a: the first
        """
    def _own(self): pass
fire.Fire(Calculator)
`

const meow = `import meow from 'meow'
const cli = meow(\`
  Usage
    $ rainbow <input>

  Options
    --kind <kind>  dark or light
\`, { importMeta: import.meta, flags: {
  dryRun: { type: 'boolean', shortFlag: 'd' },
  color: { type: 'boolean', default: true },
  kind: { type: 'string', choices: ['dark', 'light'], isRequired: true },
  size: { type: 'number', default: 3, isMultiple: false },
} })
`

const perl = `#!/usr/bin/perl
use Getopt::Long;
my ($len, $file) = (24, "a.dat");
GetOptions("length|l=i" => \\$len, "verbose!" => \\$v, "include|I=s@" => \\@inc, 'ratio:f' => \\my $ratio, "help|?" => \\$h)
  or die;
__END__
=head1 NAME

cut.pl - Cut lines

=head1 SYNOPSIS

cut.pl [options] <file>

=head1 OPTIONS

=over 4

=item B<--length>

Length of a B<line>.

=back
`

const optparse = `from optparse import OptionParser, OptionGroup
parser = OptionParser(usage="usage: %prog [options] FILE...", description="Counts")
parser.add_option("-n", "--max", type="int", dest="maximum", default=10, help="at most [default: %default]")
group = OptionGroup(parser, "More")
group.add_option("--mode", type="choice", choices=["fast", "slow"])
(options, args) = parser.parse_args()
`

const cases: readonly (readonly [what: string, path: string, text: string, expected: object])[] = [
  [
    'docopt',
    'ship.py',
    docopt,
    {
      new: ['name[]*'],
      move: ['--speed:speed=10', 'name*', 'x*', 'y*'],
      'mine set': ['--moored:moored', '--drifting:drifting', 'x*', 'y*'],
      'mine remove': ['--moored:moored', '--drifting:drifting', 'x*', 'y*'],
    },
  ],
  [
    'docopt with two forms and all options',
    'a.py',
    '"""Usage:\n  a.py [options] <file>\n  a.py [options] --all\n\nOptions:\n  -o FILE --output=FILE  where to\n"""\nfrom docopt import docopt\ndocopt(__doc__)\n',
    { '': ['--output:output', 'file', '--all:all'] },
  ],
  [
    'fire with a class',
    'calc.py',
    fireClass,
    { add: ['--precision:precision=2', '--a:a*', '--b:b=1.5', '--loud/--noloud:loud', 'rest[]'] },
  ],
  [
    'fire with a function',
    'say.py',
    'import fire\ndef say(text, n=2): pass\nfire.Fire(say)\n',
    { '': ['--text:text*', '--n:n=2'] },
  ],
  [
    'fire with a whole file',
    'all.py',
    'import fire\ndef up(text): pass\ndef _no(): pass\nfire.Fire()\n',
    { up: ['--text:text*'] },
  ],
  [
    'meow',
    'rainbow.js',
    meow,
    {
      '': [
        '--dry-run:dry_run',
        '--color/--no-color:color',
        '--kind:kind*(dark|light)',
        '--size:size=3',
        'input*',
      ],
    },
  ],
  [
    'Getopt::Long',
    'cut.pl',
    perl,
    {
      '': [
        '--length:length=24',
        '--verbose/--no-verbose:verbose',
        '--include:include[]',
        '--ratio:ratio',
        'file*',
      ],
    },
  ],
  [
    'optparse with a group and a usage beside its description',
    'old.py',
    optparse,
    { '': ['--max:maximum=10', '--mode:mode(fast|slow)', 'file[]*'] },
  ],
  [
    'optparse without a usage',
    'old.py',
    'from optparse import OptionParser\nparser = OptionParser()\n(options, args) = parser.parse_args()\nfor each in args: print(each)\n',
    { '': ['args[]'] },
  ],
  [
    'click that asks for a yes',
    'wipe.py',
    'import click\n@click.command()\n@click.confirmation_option(prompt="Really?")\ndef wipe():\n    """Wipes."""\n',
    { '': ['--yes:yes*'] },
  ],
  [
    'typer with a list of an enum',
    'img.py',
    `import typer
from enum import Enum
from typing import Annotated, List, Optional
class Format(str, Enum):
    png = "png"
    jpeg = "jpeg"
def main(formats: Annotated[Optional[List[Format]], typer.Option("--format")] = None): pass
typer.run(main)
`,
    { '': ['--format:formats[](png|jpeg)'] },
  ],
  [
    'argparse with a path for a default',
    'inv.py',
    'import argparse\nfrom pathlib import Path\nDB = Path("a.csv")\np = argparse.ArgumentParser()\np.add_argument("--db", type=Path, default=DB)\n',
    { '': ['--db:db=a.csv'] },
  ],
  [
    'getopts with a usage in a here-document and defaults on one line',
    'pack.sh',
    'usage() {\n  cat <<EOF\nUsage: $(basename "$0") [-z] [-l LEVEL] SOURCE [NOTE...]\nEOF\n}\nzip=0; level=6\nwhile getopts ":zl:h" opt; do case $opt in z) zip=1 ;; l) level=$OPTARG ;; h) usage ;; esac; done\n',
    { '': ['-z:zip', '-l:level=6', 'source*', 'note[]'] },
  ],
]

it.each(cases)('reads %s', (_, path, text, expected) => {
  verifies('D4')
  expect(read(path, text)).toEqual(expected)
})

it('takes what a text says of a parameter and of the script', () => {
  const of = (path: string, text: string) => {
    const { description, commands } = readScript(path, text)
    return [
      description ?? commands[0]!.description,
      commands[0]!.params.map((param) => param.description ?? ''),
    ]
  }
  expect(of('ship.py', docopt)).toEqual(['Naval Fate.', ['']])
  expect(of('calc.py', fireClass)).toEqual(['Add.', ['', 'the first', '', '', '']])
  expect(of('cut.pl', perl)).toEqual(['Cut lines', ['Length of a line.', '', '', '', '']])
  expect(of('old.py', optparse)).toEqual(['Counts', ['at most [default: 10]', '', '']])
  expect(of('rainbow.js', meow)).toEqual([undefined, ['', '', 'dark or light', '', '']])
})

it('says which line of a docopt usage it cannot tell', () => {
  const text =
    '"""Usage:\n  a.py <name> move <x>\n  a.py stop\n"""\nfrom docopt import docopt\ndocopt(__doc__)\n'
  const { commands, notes } = readScript('a.py', text)
  expect(commands.map(({ words }) => words)).toEqual([['stop']])
  expect(notes).toEqual(['The usage "a.py <name> move <x>" has a word after an argument; it is left out.'])
})

it('leaves the words of a shebang where they stand, and looks through what fetches a program', () => {
  verifies('D4')
  expect(readScript('sum', '#!/usr/bin/awk -f\n# Sums a column\n{ print }\n')).toMatchObject({
    starter: ['awk', '-f'],
    language: 'other',
    description: 'Sums a column',
  })
  expect(readScript('a.ts', '#!/usr/bin/env -S npx -y tsx\nconsole.log(1)\n').language).toBe('typescript')
  expect(readScript('a', '#!/bin/bash -eu\necho\n').starter).toEqual(['bash', '-eu'])
})
