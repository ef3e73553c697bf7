// What `toolcrib add` states of a script's needs, as its code tells, and what it learns of them.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { whyNoTrace } from '../helpers/has-strace.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const requiresOf = (root: string, id: string) =>
  /^requires: .*$/m.exec(readFileSync(join(root, `.ai/tools/${id}.yaml`), 'utf8'))?.[0]

it.each([
  ['only.py', 'print(1 + 1)\n', 'requires: []'],
  ['copy.py', 'import shutil\nshutil.copy("a.txt", "out/b.txt")\n', 'requires: [ fs.read, fs.write ]'],
  [
    'get.py',
    'import urllib.request\nprint(urllib.request.urlopen("https://api.example.com/x").read())\n',
    'requires: [ net.http ]',
  ],
  ['any.mjs', 'const r = await fetch(process.argv[2])\n', 'requires: [ net.http ]'],
  ['helped.py', 'import helper\nhelper.save()\n', 'requires: [ fs.write ]'],
  // Reading does not tell all of these: half a list would break them.
  ['starts.py', 'import subprocess\nsubprocess.run(["git", "status"])\n', undefined],
  ['hidden.py', 'import base64\nexec(base64.b64decode("cHJpbnQoMSk="))\n', undefined],
  ['package.py', 'import nobody_knows_this\n', undefined],
  ['other.rb', '#!/usr/bin/env ruby\nputs 1\n', undefined],
])('states what %s needs', async (name, text, expected) => {
  verifies('L9')
  const root = tempFolder({ [name]: text, 'helper.py': 'def save():\n    open("out/c.txt", "w")\n' })
  const added = await toolcrib(['add', `./${name}`, '--yes'], { cwd: root })
  expect(added.code, added.stderr).toBe(0)
  expect(requiresOf(root, name.replace(/\..*$/, ''))).toBe(expected)
})

it('says where a script reaches out, and why its needs are not stated', async () => {
  verifies('L9')
  const root = tempFolder({
    'send.py':
      'import requests, subprocess\nrequests.post("https://api.example.com")\nsubprocess.run(["make"])\n',
  })
  const { stderr } = await toolcrib(['add', './send.py', '--dry-run'], { cwd: root })
  expect(stderr).toContain('send.py reaches api.example.com (send.py:2).')
  expect(stderr).toContain('What send.py needs is not stated, because it starts make (send.py:3).')
})

it.skipIf(whyNoTrace !== undefined)(
  'with --learn a script that reaches a host, reads and writes works at its first call',
  async () => {
    verifies('L9')
    const server = createServer((_, response) => response.end('answered'))
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const root = tempFolder({
      'scripts/ask.py': `import urllib.request\ntext = urllib.request.urlopen("http://127.0.0.1:${port}/").read().decode()\nopen("scripts/last.json", "w").write(text)\nprint(text)\n`,
      'scripts/last.json': 'before',
    })
    const added = await toolcrib(['add', 'scripts/ask.py', '--yes', '--learn'], { cwd: root })
    expect(added.code, added.stderr).toBe(0)
    expect(requiresOf(root, 'ask')).toBe('requires: [ fs.write, net.http ]')
    // Its own data is opened by itself; the folder with its script is not.
    expect(readFileSync(join(root, 'toolcrib.yaml'), 'utf8')).toContain(
      `ask: [only, net.http:127.0.0.1:${port}, fs.write:scripts/last.json]`,
    )
    const ran = await toolcrib(['run', 'ask', '-q'], { cwd: root })
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('answered') })
    expect(readFileSync(join(root, 'scripts/last.json'), 'utf8')).toBe('answered')
  },
)

it('a network that was closed is heard in an ordinary run and becomes a proposal', async () => {
  verifies('L8')
  const root = tempFolder({
    '.ai/tools/ask.py':
      '"""Asks"""\n__version__ = "1.0.0"\n__tool_type__ = "python"\n__executor_id__ = "rye/core/runtimes/python/function"\n__category__ = ""\n__tool_description__ = "Asks"\nimport urllib.request\ndef execute(params, project_path):\n    urllib.request.urlopen("https://api.example.com/x")\n',
  })
  const ran = await toolcrib(['run', 'ask'], { cwd: root })
  expect(ran.code).not.toBe(0)
  const { stdout } = await toolcrib(['grants'], { cwd: root })
  expect(stdout).toContain('1  ask  net.http:api.example.com')
  expect((await toolcrib(['grants', 'accept', '1'], { cwd: root })).code).toBe(0)
  expect(readFileSync(join(root, 'toolcrib.yaml'), 'utf8')).toContain('net.http:api.example.com')
})
