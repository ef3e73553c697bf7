import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { toolcrib } from '../../test/helpers/toolcrib.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { describeTool } from '../surfaces/describe-tool.ts'
import { openCrib } from './open-crib.ts'

const head =
  '"""Adds"""\n__version__ = "1.0.0"\n__tool_type__ = "python"\n__executor_id__ = "rye/core/runtimes/python/function"\n__category__ = "t"\n__tool_description__ = "Adds"\n'
const files = {
  'toolcrib.yaml':
    'grants:\n  tools:\n    t/add: ["net.http:example.com", "fs.write:out/**"]\n    "t/*": [shell.execute]\n',
  '.ai/tools/t/add.py': `${head}\ndef execute(params, project_path):\n    with open("out/sum.txt", "w") as out:\n        out.write(str(params["a"]))\n    return {"success": True}\n`,
  '.ai/tools/t/never.py': `${head}\ndef execute(params, project_path):\n    return {"success": True}\n`,
}

it('check, show and the API name a grant that no run used', async () => {
  verifies('L2')
  const root = tempFolder(files)
  const opened = () => openCrib({ root, trustFolder: true })
  const unused = async () => {
    await using crib = await opened()
    const { problems } = await crib.check({ strict: true })
    return problems.filter(({ code }) => code === 'capability-unused')
  }
  {
    await using crib = await opened()
    for (let run = 0; run < 49; run++)
      expect(await crib.call('t/add', { a: run })).toMatchObject({ ok: true })
  }
  expect(await unused()).toEqual([])
  {
    await using crib = await opened()
    await crib.call('t/add', { a: 50 })
  }
  // The pattern "t/*" fits a tool that never ran: nothing is said of it.
  expect(await unused()).toMatchObject([
    {
      severity: 'info',
      message: '"t/add" is granted net.http:example.com, which no run used in the last 50 runs or 30 days.',
      file: join(root, 'toolcrib.yaml'),
      line: 3,
      toolId: 't/add',
    },
  ])
  {
    await using crib = await opened()
    const { capabilities } = await describeTool(crib, crib.find('t/add'))
    const said = capabilities.map(({ capability, detail, unused }) => [`${capability}:${detail}`, unused])
    expect(said).toContainEqual(['net.http:example.com', true])
    expect(said).toContainEqual(['fs.write:out/**', false])
  }
  const { stdout } = await toolcrib(['show', 't/add'], { cwd: root })
  expect(stdout).toMatch(/net\.http:example\.com +no +yes +never/)
})

it('thirty days count where runs are few', async () => {
  verifies('L2')
  const root = tempFolder(files)
  await using crib = await openCrib({ root, trustFolder: true })
  await crib.call('t/add', { a: 1 })
  const tool = crib.find('t/add')
  expect((await crib.usesOf(tool)).since).toBeUndefined()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * 86_400_000 })
  try {
    const { used, since } = await crib.usesOf(tool)
    expect(since).toBeDefined()
    expect(used.every(({ lastAt }) => lastAt < since!)).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})
