// `toolcrib learn` and `toolcrib grants` as a user runs them, on real tools behind the real fence.

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { whyNoTrace } from '../helpers/has-strace.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const learns = it.skipIf(whyNoTrace !== undefined)

/** A Python tool of the crib with this body of `execute`. */
function pythonTool(body: string, more = ''): string {
  return `"""Tried."""
__tool_id__ = "tried"
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = ""
__tool_description__ = "Tried"
${more}
import os, subprocess, sys, urllib.request
CONFIG_SCHEMA = {"type": "object", "properties": {"file": {"type": "string"}}}

def execute(params, project_path):
    os.chdir(project_path)
${body
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
`
}

const settings = `# Kept.
trust: warn # this too
`

function cribWith(body: string, more: { files?: Record<string, string>; head?: string } = {}): string {
  return tempFolder({
    'toolcrib.yaml': settings,
    '.ai/tools/tried.py': pythonTool(body, more.head),
    'docs/a.md': 'a',
    'docs/b.md': 'b',
    'data/table.csv': 'x,1',
    ...more.files,
  })
}

async function hostThatAnswers(text: string): Promise<number> {
  const server = createServer((_, response) => response.end(text))
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

learns(
  'proposes the smallest grants, proves them and writes them with comments kept',
  async () => {
    verifies('L5', 'L6', 'L7')
    const port = await hostThatAnswers('hello')
    const root =
      cribWith(`text = open('data/table.csv').read() + open('docs/a.md').read() + open('docs/b.md').read()
os.makedirs('out', exist_ok=True)
open('out/sum.txt', 'w').write(text)
try:
    answer = urllib.request.urlopen('http://127.0.0.1:${port}/').read().decode()
except Exception as error:
    answer = 'refused'
return {'length': len(text), 'answer': answer}`)
    const proposal = [
      'fs.read:data/table.csv',
      'fs.read:docs/**',
      'fs.write:out/**',
      `net.http:127.0.0.1:${port}`,
    ]
    const seen = await toolcrib(['learn', 'tried', '--json'], { cwd: root })
    expect(seen.code).toBe(0)
    expect(seen.json).toMatchObject({ tool: 'tried', proposal, missing: [proposal[3]], refused: [] })
    expect(seen.json.observed).toContainEqual({ kind: 'host', what: `127.0.0.1:${port}`, isDenied: true })
    expect(seen.json.observed).toContainEqual({ kind: 'make', what: 'out/sum.txt', isDenied: false })
    expect(readFileSync(join(root, 'toolcrib.yaml'), 'utf8')).toBe(settings)

    const unproven = await toolcrib(['learn', 'tried', '--verify', '--json'], { cwd: root })
    expect([unproven.code, unproven.stderr]).toEqual([5, expect.stringContaining('not proven')])
    expect(unproven.json.verified).toBeUndefined()

    const { code, json } = await toolcrib(['learn', 'tried', '--verify', '--write', '--json'], { cwd: root })
    expect(code).toBe(0)
    expect(json.verified.ok).toBe(true)
    expect(json.verified.rows).toHaveLength(5)
    for (const { without, difference } of json.verified.rows)
      if (without !== null) expect([without, difference]).toEqual([without, expect.any(String)])
    const written = readFileSync(join(root, 'toolcrib.yaml'), 'utf8')
    expect(written.startsWith(settings)).toBe(true)
    for (const grant of proposal) expect(written).toContain(grant)
    const ran = await toolcrib(['run', 'tried', '--json'], { cwd: root })
    expect(ran.json).toMatchObject({ ok: true, value: { length: 5, answer: 'hello' } })
    const shown = await toolcrib(['show', 'tried', '--json'], { cwd: root })
    expect(shown.json.grants).toEqual(proposal)
  },
  120_000,
)

learns(
  'counts as accepted what it wrote, and nothing else of the folder',
  async () => {
    verifies('L6', 'G2')
    const port = await hostThatAnswers('hello')
    const root = cribWith(
      `try:
    return {'answer': urllib.request.urlopen('http://127.0.0.1:${port}/').read().decode()}
except Exception as error:
    return {'answer': 'refused'}`,
    )
    const env = { TOOLCRIB_TRUST_FOLDER: '' }
    expect((await toolcrib(['learn', 'tried', '--write'], { cwd: root, env })).code).toBe(0)
    const ran = await toolcrib(['run', 'tried', '--json'], { cwd: root, env })
    expect(ran.json).toMatchObject({ ok: true, value: { answer: 'hello' } })
  },
  60_000,
)

learns(
  'refuses to propose keys and the metadata of a cloud, and drops what nothing needs',
  async () => {
    verifies('L6', 'L7')
    const root = cribWith(
      `for path in ['.env', 'docs/a.md']:
    try:
        open(path).read()
    except OSError:
        pass
try:
    urllib.request.urlopen('http://169.254.169.254/latest/meta-data')
except Exception as error:
    pass
return {'n': len(open('data/table.csv').read())}`,
      { files: { '.env': 'KEY=1' } },
    )
    const { code, json } = await toolcrib(['learn', 'tried', '--verify', '--json'], { cwd: root })
    expect(json.refused.map(({ what }: { what: string }) => what)).toEqual(['.env', '169.254.169.254:80'])
    expect(json.proposal).toEqual(['fs.read:data/table.csv'])
    expect(json.verified.rows).toContainEqual({ without: 'fs.read:docs/a.md', difference: null })
    expect(code).toBe(0)
    const wanted = await toolcrib(['learn', 'tried', '--sensitive', '--json'], { cwd: root })
    expect(wanted.json.proposal).toContain('fs.read:.env')
    expect(wanted.json.proposal).toContain('net.http:169.254.169.254:80')
  },
  120_000,
)

learns(
  'sees programs that could not be started',
  async () => {
    verifies('L5')
    const root = cribWith(`try:
    return {'said': subprocess.run(['sh', '-c', 'echo hi'], capture_output=True, text=True).stdout}
except OSError:
    return {'said': 'nothing'}`)
    const { json } = await toolcrib(['learn', 'tried', '--verify', '--write', '--json'], { cwd: root })
    expect(json.proposal).toEqual(['shell.execute'])
    expect(json.verified.ok).toBe(true)
    expect((await toolcrib(['run', 'tried', '--json'], { cwd: root })).json.value).toEqual({ said: 'hi\n' })
  },
  60_000,
)

learns(
  'ends with the time limit of a tool that never ends',
  async () => {
    verifies('L5')
    const root = cribWith(
      `open('docs/a.md').read()
while True:
    pass`,
      { head: '__timeout__ = 10' },
    )
    const { code, json } = await toolcrib(['learn', 'tried', '--json'], { cwd: root })
    expect(code).toBe(0)
    expect(json.observed).toContainEqual({ kind: 'limit', what: 'TIMEOUT', isDenied: true })
    expect(json.proposal).toEqual(['fs.read:docs/a.md'])
  },
  60_000,
)

learns(
  'shows a tool that does otherwise when it is watched',
  async () => {
    verifies('L7')
    const root = cribWith(`traced = 'HTTP_PROXY' in os.environ
return {'n': 0 if traced else len(open('docs/a.md').read())}`)
    const { code, json } = await toolcrib(['learn', 'tried', '--verify', '--json'], { cwd: root })
    expect([code, json.verified.ok]).toEqual([1, false])
    expect(json.verified.rows[0]).toMatchObject({ without: null, difference: expect.any(String) })
  },
  60_000,
)

learns(
  'sees the variables that Python and JavaScript ask for while they run, whatever the code names',
  async () => {
    verifies('L5')
    const cwd = cribWith(
      'import base64\nname = base64.b64decode("U0VDUkVU").decode() + "_KEY"[: len(os.listdir("."))]\nreturn {"success": True, "got": os.environ.get(name[:6]), "is": "OTHER" in os.environ}',
      {
        files: {
          '.ai/tools/script.js': [
            'export const __version__ = "1.0.0"',
            'export const __tool_type__ = "javascript"',
            'export const __executor_id__ = "rye/core/runtimes/node/node"',
            'export const __category__ = ""',
            'export const __tool_description__ = "Tried"',
            'export default () => process.env[["ODD", "NAME"].map((part) => part + Date.now().toString().slice(0, 0)).join("_")] ?? "none"',
          ].join('\n'),
        },
      },
    )
    const variables = async (tool: string) => {
      const { json } = await toolcrib(['learn', tool, '--json'], { cwd })
      return json.observed.filter(({ kind }: { kind: string }) => kind === 'variable')
    }
    expect(await variables('tried')).toEqual([
      { kind: 'variable', what: 'SECRET', isDenied: true },
      { kind: 'variable', what: 'OTHER', isDenied: true },
    ])
    expect(await variables('script')).toEqual([{ kind: 'variable', what: 'ODD_NAME', isDenied: true }])
  },
  120_000,
)

it('opens nothing more without a terminal', async () => {
  verifies('L5')
  const { code, stderr } = await toolcrib(['learn', 'tried', '--open'], { cwd: cribWith('return {}') })
  expect([code, stderr]).toEqual([2, expect.stringContaining('--open needs a terminal')])
})

learns(
  'proves nothing with a tool that fails whatever it is granted, and says why it failed',
  async () => {
    verifies('L7')
    const cwd = cribWith(`open('docs/a.md').read()\nraise ValueError('broken from the start')`)
    const { code, stdout, stderr } = await toolcrib(['learn', 'tried', '--verify', '--write'], { cwd })
    expect(stderr).toMatch(/tried failed in every call: .*broken from the start/)
    expect([code, stdout]).toEqual([1, expect.not.stringContaining('Proof')])
    expect(readFileSync(join(cwd, 'toolcrib.yaml'), 'utf8')).toBe(settings)
    const { json } = await toolcrib(['learn', 'tried', '--verify', '--json'], { cwd })
    expect(json).toMatchObject({ failure: expect.stringContaining('broken from the start') })
    expect(json).not.toHaveProperty('verified')
  },
  60_000,
)

it('keeps denials of runs, lists them with the change, and writes one that is accepted', async () => {
  verifies('L8', 'G2')
  const port = await hostThatAnswers('hello')
  const root = tempFolder({
    'toolcrib.yaml': settings,
    '.ai/tools/ask.yaml': `tool_id: ask
tool_type: http
version: "1.0.0"
category: ""
description: Ask
executor_id: rye/core/primitives/http_client
parameters: []
requires: [net.http]
config: { method: GET, url: "http://127.0.0.1:${port}/" }
`,
  })
  const env = { TOOLCRIB_TRUST_FOLDER: '' }
  const options = { cwd: root, env }
  for (const _ of ['once', 'and again']) expect((await toolcrib(['run', 'ask'], options)).code).toBe(5)
  const { json } = await toolcrib(['grants', '--json'], options)
  expect(json.proposals).toMatchObject([
    { n: 1, tool: 'ask', grants: [`net.http:127.0.0.1:${port}`], count: 2, lastAt: expect.any(String) },
  ])
  expect(json.proposals[0].change.join('\n')).toContain(`net.http:127.0.0.1:${port}`)
  const why = await toolcrib(['why', 'ask', '--json'], options)
  expect(why.json.findings[0].hint).toContain(`net.http:127.0.0.1:${port}`)
  expect((await toolcrib(['grants', 'accept', '1'], options)).code).toBe(0)
  expect(readFileSync(join(root, 'toolcrib.yaml'), 'utf8').startsWith(settings)).toBe(true)
  expect((await toolcrib(['run', 'ask', '--json'], options)).json.ok).toBe(true)
  expect((await toolcrib(['grants', '--json'], options)).json.proposals).toEqual([])
  expect((await toolcrib(['grants', 'accept', '1'], options)).code).not.toBe(0)
}, 60_000)

const starting = `return {"success": True, "out": subprocess.run(["id", "-u"], capture_output=True, text=True).stdout}`
const closed = `urllib.request.urlopen("https://api.example.com/v1")\nreturn {"success": True}`

learns.each([
  ['a program that it may not start', starting, '', 'shell.execute'],
  ['a host behind a closed network', closed, '', 'net.http:api.example.com:443'],
])(
  'a run that fails for want of %s says the line that grants it, and so does the proposal',
  async (_, body, more, grant) => {
    verifies('L8')
    const root = tempFolder({ '.ai/tools/tried.py': pythonTool(body, more) })
    const { json: failed } = await toolcrib(['run', 'tried', '--json'], { cwd: root })
    expect(failed.error).toMatchObject({ code: 'TOOL_FAILED', hint: expect.stringContaining(grant) })
    const line = /grants: \{.*\}/.exec(failed.error.hint)![0]
    const { json } = await toolcrib(['grants', '--json'], { cwd: root })
    expect(json.proposals).toMatchObject([{ tool: 'tried', grants: [grant] }])
    writeFileSync(join(root, 'toolcrib.yaml'), `${line}\n`)
    const { json: again } = await toolcrib(['run', 'tried', '--json'], { cwd: root })
    expect(again.error?.hint ?? '').not.toContain('To allow it')
    expect((await toolcrib(['grants', '--json'], { cwd: root })).json.proposals).toEqual([])
  },
  60_000,
)

learns('a run that fails for want of what its definition does not require says that', async () => {
  verifies('L8')
  const files = { '.ai/tools/tried.py': pythonTool(closed, '__requires__ = ["fs.read"]') }
  const { json } = await toolcrib(['run', 'tried', '--json'], { cwd: tempFolder(files) })
  expect(json.error.hint).toBe(
    'net.http:api.example.com:443 is closed to it: its definition does not require net.http; add it to `requires` first.',
  )
})

learns(
  'a script that is added and learned works at its first call',
  async () => {
    verifies('L9')
    const port = await hostThatAnswers('hello')
    const root = tempFolder({
      'toolcrib.yaml': settings,
      'docs/a.md': 'a',
      'digest.py': `"""Write down what a host says."""
import urllib.request
text = open('docs/a.md').read() + urllib.request.urlopen('http://127.0.0.1:${port}/').read().decode()
open('out/digest.txt', 'w').write(text)
print(text)
`,
      'out/.keep': '',
    })
    const env = { TOOLCRIB_TRUST_FOLDER: '' }
    const added = await toolcrib(['add', './digest.py', '--yes', '--learn', '--json'], { cwd: root, env })
    expect(added.code).toBe(0)
    expect(added.json.notes.join('\n')).toContain(
      `granted what it needs: fs.read:docs/a.md, fs.write:out/**, net.http:127.0.0.1:${port}`,
    )
    expect(added.json.notes.join('\n')).toContain('worked and is kept as its example')
    const ran = await toolcrib(['run', 'digest', '--json'], { cwd: root, env })
    expect(ran.json).toMatchObject({ ok: true, value: 'ahello', effects: { added: 1 } })
  },
  60_000,
)
