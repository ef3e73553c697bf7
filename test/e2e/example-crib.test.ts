// The crib in examples/ as a whole: every format is served, every example of its tools holds, nothing stays behind.
import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { has } from '../helpers/system-parts.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'

const examples = fileURLToPath(new URL('../../examples', import.meta.url))

function copy(): string {
  const root = tempFolder()
  cpSync(examples, root, { recursive: true, filter: (path) => !path.includes('/.toolcrib') })
  return root
}

it('shows tools of all formats, those of a foreign MCP server too', async () => {
  const root = copy()
  const { json } = await toolcrib(['list', '--json'], { cwd: root })
  const own = json.tools.filter((tool: { tier: string }) => tool.tier === 'project')
  expect(new Set(own.map((tool: { format: string }) => tool.format))).toEqual(
    new Set(['rye', 'tools-json', 'tool-code', 'skill', 'mcp', 'openapi']),
  )
  const ran = await toolcrib(
    ['run', 'units-convert', '--value', '1', '--from', 'mi', '--to', 'km', '--json'],
    { cwd: root },
  )
  expect(ran.json).toMatchObject({ ok: true, value: { value: 1.609344, unit: 'km' } })
}, 60_000)

it.skipIf(!has('python3') || !has('git'))(
  'holds to every example, and leaves no process behind',
  async () => {
    const root = copy()
    const { json } = await toolcrib(['test', '--json'], { cwd: root })
    expect(
      json.results.filter((result: { ok: boolean; skipped?: string }) => !result.ok && !result.skipped),
    ).toEqual([])
    expect(json.failed).toBe(0)
    expect(json.results).toContainEqual(
      expect.objectContaining({ tool: 'units-convert', example: 'a mile in kilometres', ok: true }),
    )
    await expect.poll(() => processesIn(root)).toEqual([])
  },
  180_000,
)

/** Command lines of processes that mention the folder, or stand in it. */
function processesIn(root: string): string[] {
  if (!existsSync('/proc/self')) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const line = readFileSync(join('/proc', pid, 'cmdline'), 'utf8').replaceAll('\0', ' ')
        return line.includes(root) || readlinkSync(join('/proc', pid, 'cwd')).startsWith(root) ? [line] : []
      } catch {
        return []
      }
    })
}
