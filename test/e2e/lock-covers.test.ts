// What an approval covers beside the file that defines a tool, and how a difference is shown.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { approvalOf, driftOfCrib, lockCrib } from '../../src/surfaces/trust/lock-crib.ts'
import { tempFolder, writeFiles } from '../helpers/temp-folder.ts'
import { verifies } from '../helpers/verifies.ts'

async function lockedCrib(files: { readonly [path: string]: string }) {
  const root = tempFolder(files)
  const open = async () => {
    const crib = await openCrib({ root, cache: false, env: { HOME: root } })
    onTestFinished(() => crib.close())
    return crib
  }
  await lockCrib(await open(), { programs: false })
  return { root, open }
}

const skill = '---\nname: report\ndescription: Writes a report\n---\nUse data.csv.\n'
const python = (extra: string) =>
  `"""Reads"""\n__version__ = "1.0.0"\n__tool_type__ = "python"\n__executor_id__ = "rye/core/runtimes/python/function"\n__category__ = "t"\n__tool_description__ = "Reads"\n${extra}\ndef execute(params, project_path):\n    return {"success": True}\n`
const script = (extra: string) =>
  `export const __version__ = '1.0.0'\nexport const __tool_type__ = 'javascript'\nexport const __executor_id__ = 'rye/core/runtimes/node/node'\nexport const __category__ = 't'\nexport const __tool_description__ = 'Works'\n${extra}\nexport default () => ({ success: true })\n`

it.each([
  [
    'a worker thread',
    {
      '.ai/tools/t/a.mjs': script(
        "import { Worker } from 'node:worker_threads'\nconst make = () => new Worker(new URL('./thread.mjs', import.meta.url))",
      ),
      '.ai/tools/t/thread.mjs': '',
    },
    '.ai/tools/t/thread.mjs',
  ],
  [
    'a data file that the code names',
    { '.ai/tools/t/a.py': python('DATA = "cities.json"'), '.ai/tools/t/cities.json': '{}' },
    '.ai/tools/t/cities.json',
  ],
  [
    "the data of a skill's folder",
    { 'skills/report/SKILL.md': skill, 'skills/report/assets/data.csv': 'a,b' },
    'skills/report/assets/data.csv',
  ],
  [
    "what a server's script imports",
    {
      '.mcp.json': JSON.stringify({ mcpServers: { s: { command: 'node', args: ['servers/main.mjs'] } } }),
      'servers/main.mjs': "import './part.mjs'",
      'servers/part.mjs': '',
    },
    'servers/part.mjs',
  ],
])('covers %s', async (_, files, changed) => {
  verifies('G24')
  const { root, open } = await lockedCrib(files)
  writeFiles(root, { [changed]: 'changed\n' })
  const { drifted } = await driftOfCrib(await open())
  expect(drifted.map(({ field }) => field)).toContain(`file ${changed}`)
})

it('shows the text that changed, and says so when the approved text is gone', async () => {
  verifies('G24')
  const path = '.ai/tools/t/a.py'
  const { root, open } = await lockedCrib({ [path]: python('LIMIT = 1') })
  writeFileSync(join(root, path), python('LIMIT = 2'))
  const crib = await open()
  const [entry] = (await driftOfCrib(crib)).drifted.filter(({ field }) => field === `file ${path}`)
  expect(entry!.diff).toContain('-LIMIT = 1\n+LIMIT = 2\n')
  rmSync(join(root, '.toolcrib/approved'), { recursive: true })
  const [blind] = (await driftOfCrib(crib)).drifted.filter(({ field }) => field === `file ${path}`)
  expect(blind!.diff).toContain('not kept any more')
  await (await approvalOf(crib, 't/a')).accept()
  expect((await driftOfCrib(crib)).drifted).toEqual([])
})

it('counts an empty list of needs as said', async () => {
  verifies('G24')
  const path = '.ai/tools/t/a.py'
  const { root, open } = await lockedCrib({ [path]: python('__requires__ = []') })
  writeFileSync(join(root, path), python('__requires__ = ["net.http"]'))
  const { drifted } = await driftOfCrib(await open())
  expect(drifted).toContainEqual(
    expect.objectContaining({ field: 'requires', risk: 'high', what: expect.stringContaining('gained') }),
  )
})
