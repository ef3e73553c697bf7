// Nodes that share a database share the tools that live in it, with the commands that run once and end too.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toolDocument } from '../../src/formats/tool-code/fixture.ts'
import { type PostgresServer, postgresMissing, startPostgres } from '../helpers/servers/postgres.mjs'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'

const missing = postgresMissing()
if (missing !== null) console.info(`skipped: tools of a shared store: ${missing}`)

describe.skipIf(missing !== null)('a tool that lives in PostgreSQL only', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  }, 120_000)
  afterAll(async () => {
    await postgres?.remove()
  }, 60_000)

  it('is listed, shown and run by one-shot commands of every crib on that database', async () => {
    const files = { 'toolcrib.yaml': `store: ${postgres.url()}\n` }
    const [one, two] = [tempFolder(files), tempFolder(files)]
    const made = await toolcrib(['crumbs', 'create', '-', '--json'], {
      cwd: one,
      input: JSON.stringify(toolDocument({ name: 'shared_tool' })),
    })
    expect(made, made.stderr).toMatchObject({ code: 0 })
    for (const cwd of [one, two]) {
      const listed = await toolcrib(['list', '--json'], { cwd })
      expect(listed.json.tools.map(({ id }: { id: string }) => id)).toContain('shared_tool')
      expect((await toolcrib(['show', 'shared_tool', '--json'], { cwd })).json.tool.id).toBe('shared_tool')
      const run = await toolcrib(['run', 'shared_tool', '--a', '1', '--dry-run', '--json'], { cwd })
      expect(run.json).toMatchObject({ ok: true, tool: 'shared_tool' })
    }
  }, 120_000)
})
