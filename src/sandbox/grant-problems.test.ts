import { expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { toolcrib } from '../../test/helpers/toolcrib.ts'
import { verifies } from '../../test/helpers/verifies.ts'

const tool = (requires: string) => `"""Reads a file."""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "web"
__tool_description__ = "reads a file"
__requires__ = [${requires}]
import os
CONFIG_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}

def execute(params, project):
    try:
        return {"success": True, "data": open(os.path.join(project, params["path"])).read()}
    except OSError as error:
        return {"success": True, "data": type(error).__name__}
`

function crib(grants: string, requires = '"fs.read"') {
  return tempFolder({
    '.ai/tools/web/reader.py': tool(requires),
    'docs/a.txt': 'in docs',
    'other.txt': 'elsewhere',
    'toolcrib.yaml': `grants: ${grants}\n`,
  })
}

const problemsOf = async (cwd: string) => {
  const ran = await toolcrib(['check', '--json'], { cwd })
  const errors = ran.json.problems.filter(({ severity }: { severity: string }) => severity === 'error')
  return { code: ran.code, errors }
}

it.each([
  ['{ default: [fs.raed] }', 'grant-unknown', 'fs.raed', '"fs.read"'],
  ['{ tools: { "web/*": [net.htpp] } }', 'grant-unknown', 'net.htpp', '"net.http"'],
  ['{ tools: { "web/raeder": [fs.read] } }', 'grant-unmatched', 'web/raeder', '"web/reader"'],
  ['{ tools: { "#webb": [fs.read] } }', 'grant-unmatched', '#webb', undefined],
])('refuses grants that protect nothing: %s', async (grants, code, named, meant) => {
  verifies('G26')
  const found = await problemsOf(crib(grants))
  expect(found.code).toBe(4)
  expect(found.errors).toEqual([
    expect.objectContaining({
      code,
      message: expect.stringContaining(`"${named}"`),
      ...(meant === undefined ? {} : { hint: expect.stringContaining(meant) }),
      file: expect.stringContaining('toolcrib.yaml'),
    }),
  ])
})

it.each([
  ['fs.read:~/.ssh/**', 'leads to keys or passwords'],
  ['fs.write:/**', 'is the whole machine'],
  ['fs.read:docs/*.md', 'has a wildcard other than a final /**'],
  ['shell.execute:git', 'has no effect: this capability takes none'],
  ['net.http:https://example.com/', 'is no host'],
])('refuses a scope that cannot have an effect: %s', async (grant, fault) => {
  verifies('U3d')
  const { code, errors } = await problemsOf(crib(`{ tools: { "web/*": ["${grant}"] } }`))
  expect(code).toBe(4)
  const message = `The scope of the grant ${grant} ${fault}.`
  expect(errors).toContainEqual(expect.objectContaining({ code: 'grant-scope', message }))
})

it('knows programs by name', async () => {
  verifies('U3d')
  const { errors } = await problemsOf(crib('{ tools: { "web/*": ["programs:chromium", "programs:emacs"] } }'))
  expect(errors).toEqual([
    expect.objectContaining({
      code: 'grant-scope',
      message: 'The grant programs:emacs names no program that is known.',
      hint: 'Write programs:chromium.',
    }),
  ])
})

it('names a need that is no capability, with the one that was meant', async () => {
  verifies('G26')
  const { code, errors } = await problemsOf(crib('{}', '"fs.raed"'))
  expect(code).toBe(4)
  expect(errors).toContainEqual(
    expect.objectContaining({
      code: 'capability-unknown',
      toolId: 'web/reader',
      hint: 'Did you mean "fs.read"?',
    }),
  )
})

it('finds nothing wrong with grants that count', async () => {
  verifies('G26')
  const grants = '{ default: [fs.read, "rye.execute.tool.web.*"], tools: { "web/*": ["fs.read:docs/**"] } }'
  expect(await problemsOf(crib(grants))).toEqual({ code: 0, errors: [] })
})

it('a scoped grant for a tool narrows what every tool has', async () => {
  verifies('G26')
  const read = async (cwd: string, path: string) =>
    (await toolcrib(['run', 'web/reader', '--params', JSON.stringify({ path }), '--json'], { cwd })).json
      .value.data
  const narrow = crib('{ tools: { "web/reader": ["fs.read:docs/**"] } }')
  expect(await read(narrow, 'docs/a.txt')).toBe('in docs')
  expect(await read(narrow, 'other.txt')).not.toBe('elsewhere')
  expect(await read(crib('{}'), 'other.txt')).toBe('elsewhere')
})
