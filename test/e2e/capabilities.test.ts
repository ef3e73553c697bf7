// What the code of tools can touch, as `check`, `show` and the HTTP answers tell it.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { toolDocument } from '../../src/formats/tool-code/fixture.ts'
import { describeTool } from '../../src/surfaces/describe-tool.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const python = (requires: string, body: string) =>
  `"""Works"""\n__version__ = "1.0.0"\n__tool_type__ = "python"\n__executor_id__ = "rye/core/runtimes/python/function"\n__category__ = "t"\n__tool_description__ = "Works"\n${requires}\nimport os, requests\n${body}\ndef execute(params, project_path):\n    return {"success": True}\n`

async function opened(files: { readonly [path: string]: string }) {
  const root = tempFolder(files)
  const crib = await openCrib({ root, env: { HOME: root } })
  onTestFinished(() => crib.close())
  return { root, crib }
}

async function undeclared(files: { readonly [path: string]: string }, spec?: 'capabilities') {
  const { crib } = await opened(files)
  const { problems } = await crib.check({ spec })
  return problems
    .filter(({ code }) => code === 'capability-undeclared')
    .map(({ severity, message, line }) => `${severity} ${line} ${message}`)
}

it.each([
  ['any host', '__requires__ = ["net.http"]', 'requests.get("https://a.example/x")', []],
  ['a file of the crib', '__requires__ = ["fs.read"]', 'open("notes/a.md")', []],
  [
    'a file outside',
    '__requires__ = ["fs.read"]',
    'open("/home/ada/.ssh/id_rsa")',
    ['warning 9 t/w reads ~/.ssh/id_rsa, and its definition does not say so.'],
  ],
  [
    'a program',
    '__requires__ = []',
    'os.system("id")',
    ['warning 9 t/w starts id, and its definition does not say so.'],
  ],
  [
    'a variable',
    '__requires__ = []',
    'os.environ["DEPLOY_KEY"]',
    ['warning 9 t/w reads the variable DEPLOY_KEY, and its definition does not say so.'],
  ],
  [
    'every variable',
    '__requires__ = []',
    'print(dict(os.environ))',
    ['warning 9 t/w reads its whole environment, and its definition does not say so.'],
  ],
  ['a variable that it says it reads', '__requires__ = ["env.read"]', 'os.environ["DEPLOY_KEY"]', []],
  [
    'a variable that it gives itself',
    '__requires__ = []\nENV_CONFIG = {"env": {"DEPLOY_KEY": "none"}}',
    'os.environ["DEPLOY_KEY"]',
    [],
  ],
  ['what every process has', '__requires__ = []', 'os.environ["PATH"] + os.environ["TOOLCRIB_RUN_ID"]', []],
  ['code that it says it makes', '__requires__ = ["code.dynamic"]', 'eval("1 + 1")', []],
  [
    'nothing said',
    '',
    'requests.get("https://a.example/x")',
    ['info 9 t/w reaches a.example, and its definition does not say so.'],
  ],
])('check compares code with requires: %s', async (_, requires, body, expected) => {
  verifies('L2')
  expect(await undeclared({ '.ai/tools/t/w.py': python(requires, body) })).toEqual(expected)
})

it.each([
  ['an address that localhost names', { network: ['localhost:8080'] }, "fetch('http://127.0.0.1:8080/')", []],
  ['its other address', { network: ['localhost'] }, "fetch('http://[::1]:8080/')", []],
  [
    'a port that it does not name',
    { network: ['localhost:8080'] },
    "fetch('http://127.0.0.1:9090/')",
    ['Add "127.0.0.1:9090" to context.permissions.network, or take the line out.'],
  ],
  [
    'another tool',
    {},
    "context.api.callTool('other', {})",
    ['Add "other" to context.permissions.tools, or take the line out.'],
  ],
])('check compares tool-code with its permissions: %s', async (_, permissions, body, expected) => {
  verifies('L2', 'C21')
  const { crib } = await opened({
    'crumbs/w.json': JSON.stringify(
      toolDocument({
        permissions,
        code: { language: 'javascript', source: `export async function execute(input, context) { ${body} }` },
      }),
    ),
  })
  const { problems } = await crib.check()
  const found = problems.filter(({ code }) => code === 'capability-undeclared')
  expect(found.map(({ hint }) => hint)).toEqual(expected)
})

it('a variable that the settings give to every tool needs no other word', async () => {
  verifies('L2')
  const files = {
    'toolcrib.yaml': 'env: { expose: [DEPLOY_KEY] }\n',
    '.ai/tools/t/w.py': python('__requires__ = []', 'os.environ["DEPLOY_KEY"]\nos.environ["OTHER_KEY"]'),
  }
  expect(await undeclared(files)).toEqual([
    'warning 10 t/w reads the variable OTHER_KEY, and its definition does not say so.',
  ])
})

it('a host that a grant names needs no other word', async () => {
  verifies('L2')
  const files = {
    'toolcrib.yaml': 'grants: { tools: { "t/*": ["net.http:a.example"] } }\n',
    '.ai/tools/t/w.py': python('', 'requests.get("https://a.example")\nrequests.get("https://b.example")'),
  }
  expect(await undeclared(files)).toEqual([
    'info 10 t/w reaches b.example, and its definition does not say so.',
  ])
})

it('a definition may say that code is made while it runs; nothing has to be granted for it', async () => {
  verifies('L2')
  const { crib } = await opened({ '.ai/tools/t/w.py': python('__requires__ = ["code.dynamic"]', '') })
  expect((await crib.refusals('t/w', {})).map(({ code }) => code)).not.toContain('CAPABILITY_DENIED')
  expect(crib.problems.map(({ code }) => code)).not.toContain('capability-unknown')
})

it.each([
  [
    'a module that the tool imports',
    {
      '.ai/tools/t/w.py': python('__requires__ = []', 'import helper'),
      '.ai/tools/t/helper.py': 'import socket\nsocket.create_connection(("h.example", 1))\n',
    },
    'warning 2 t/w connects to h.example:1, and its definition does not say so.',
  ],
  [
    'the command of a data file',
    {
      '.ai/tools/t/w.yaml':
        'tool_id: w\ntool_type: script\nversion: "1.0.0"\ncategory: t\ndescription: Fetches\nexecutor_id: subprocess\nrequires: []\nconfig:\n  command: curl\n  args: ["-s", "https://c.example/{id}"]\n',
    },
    'warning 9 t/w reaches c.example, and its definition does not say so.',
  ],
  [
    'a tool.code document',
    {
      'crumbs/w.json': JSON.stringify({
        schema_name: 'tool.code.v1',
        title: 'W',
        tags: ['tool', 'tool:w'],
        context: {
          name: 'w',
          description: 'Works',
          version: '1.0.0',
          code: {
            language: 'javascript',
            source: "export async function execute() { return fetch('https://d.example') }",
          },
          input_schema: { type: 'object' },
          output_schema: {},
        },
      }),
    },
    'warning 1 w reaches d.example, and its definition does not say so.',
  ],
  [
    'the code of a skill',
    {
      'skills/s.skill.js':
        "export const skill = { name: 's', description: 'Works' }\nexport default () => fetch('https://e.example')\n",
    },
    'info 2 s reaches e.example, and its definition does not say so.',
  ],
])('reads %s', async (_, files, expected) => {
  verifies('L1', 'L2')
  expect(await undeclared(files as Record<string, string>)).toContain(expected)
})

it('check --strict --spec capabilities fails, as SARIF and GitHub annotations too; --strict alone does not', async () => {
  verifies('L4')
  const cwd = tempFolder({ '.ai/tools/t/w.py': python('', 'requests.get("https://a.example")') })
  expect((await toolcrib(['check', '--strict'], { cwd })).code).toBe(0)
  const strict = ['check', '--strict', '--spec', 'capabilities']
  const plain = await toolcrib(strict, { cwd })
  expect(plain.code).toBe(4)
  expect(plain.stdout).toContain('.ai/tools/t/w.py:9:1: error capability-undeclared: t/w reaches a.example')
  const github = await toolcrib([...strict, '--output', 'github'], { cwd })
  expect(github.code).toBe(4)
  expect(github.stdout).toContain('::error file=.ai/tools/t/w.py,line=9,col=1,title=capability-undeclared::')
  const sarif = await toolcrib([...strict, '--output', 'sarif'], { cwd })
  expect(sarif.json.runs[0].results[0]).toMatchObject({
    ruleId: 'capability-undeclared',
    level: 'error',
    locations: [{ physicalLocation: { region: { startLine: 9, startColumn: 1 } } }],
  })
})

it.each([
  [
    'a command',
    'w',
    {
      '.ai/tools/w.yaml':
        'tool_id: w\ntool_type: script\nversion: "1.0.0"\ncategory: ""\ndescription: Works\nexecutor_id: subprocess\nconfig:\n  command: "{project_path}/w.lua"\n',
      'w.lua': '#!/usr/bin/env lua\nprint(1)\n',
    },
  ],
])(
  'check --spec capabilities tells of code that nobody here reads, and fails for nothing: %s',
  async (_, id, files) => {
    verifies('L1', 'L4')
    const cwd = tempFolder(files)
    const { code, stdout } = await toolcrib(['check', '--strict', '--spec', 'capabilities'], { cwd })
    expect(stdout).toContain(
      `w.lua:1:1: info capability-unread: ${id} may do more than reading tells: a language that is not read.`,
    )
    expect(code).toBe(0)
    expect((await toolcrib(['show', id], { cwd })).stdout).toMatch(
      /code\.unknown:a language .*w\.lua:1 unknown/,
    )
  },
)

it('a second check reads no code: what was found is kept with the catalog, and made anew when a file changes', async () => {
  verifies('L4')
  const cwd = tempFolder({
    '.ai/tools/t/w.py': python('__requires__ = []', 'requests.get("https://a.example")'),
  })
  await toolcrib(['check'], { cwd })
  const kept = join(cwd, '.toolcrib/cache/inferred.json')
  const before = statSync(kept)
  const second = await toolcrib(['check'], { cwd })
  expect(second.stdout).toContain('reaches a.example')
  expect(statSync(kept).mtimeMs).toBe(before.mtimeMs)
  const { writeFiles } = await import('../helpers/temp-folder.ts')
  writeFiles(cwd, {
    '.ai/tools/t/w.py': python('__requires__ = []', 'requests.get("https://b.example/longer")'),
  })
  expect((await toolcrib(['check'], { cwd })).stdout).toContain('reaches b.example')
  expect(readFileSync(kept, 'utf8')).toContain('b.example')
})

it('a script starts programs without a grant, and is shown as granted that', async () => {
  verifies('L2')
  const { crib } = await opened({
    'w.py': 'import subprocess\nsubprocess.run(["git", "log"])\n',
    '.ai/tools/w.yaml':
      'tool_id: w\ntool_type: script\nversion: 1.0.0\ncategory: ""\ndescription: Works\nexecutor_id: rye/core/runtimes/python/script\nconfig: { command: "${RYE_PYTHON}", args: ["{project_path}/w.py"], input_data: "", output: plain }\n',
  })
  const { capabilities } = await describeTool(crib, crib.find('w'))
  expect(capabilities.filter(({ capability }) => capability === 'shell.execute')).toMatchObject([
    { detail: 'git', granted: true },
  ])
})

it('show and the API give what is declared, inferred and granted for each capability', async () => {
  verifies('L2')
  const { root, crib } = await opened({
    'toolcrib.yaml': 'grants: { tools: { "t/*": ["net.http:a.example"] } }\n',
    '.ai/tools/t/w.py': python(
      '__requires__ = ["fs.read"]',
      'requests.get("https://a.example")\nopen("notes/a.md")',
    ),
  })
  const { capabilities } = await describeTool(crib, crib.find('t/w'))
  const at = (line: number) => [{ certainty: 'exact', file: join(root, '.ai/tools/t/w.py'), line, column: 1 }]
  expect(capabilities).toEqual([
    { capability: 'fs.read', declared: true, inferred: [], granted: true, unused: false },
    {
      capability: 'fs.read',
      detail: 'notes/a.md',
      declared: true,
      inferred: at(10),
      granted: true,
      unused: false,
    },
    { capability: 'fs.write', declared: false, inferred: [], granted: true, unused: false },
    {
      capability: 'net.http',
      detail: 'a.example',
      declared: false,
      inferred: at(9),
      granted: true,
      unused: false,
    },
  ])
  const shown = await toolcrib(['show', 't/w'], { cwd: root })
  expect(shown.stdout).toMatch(/net\.http:a\.example +no +yes +no +w\.py:9 exact/)
})
