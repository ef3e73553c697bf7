// A tool of every format and runtime writes, is previewed, held, accepted, undone; over the command line, HTTP and MCP.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type EffectCrib, effectCrib, everyWay } from '../../helpers/effect-tools.ts'
import { canLayer } from '../../helpers/layered.ts'
import { serveProcess } from '../../helpers/serve-process.ts'
import { cli, toolcrib } from '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'

/** What a surface must be able to do with a writing tool; each gives the run's id and what it says of the files. */
interface Way {
  write(tool: string, text: string, how?: 'preview' | 'hold'): Promise<{ run: string; effects: Effects }>
  diff(run: string): Promise<string>
  accept(run: string, files: readonly string[]): Promise<void>
  undo(run: string): Promise<{ changeSet: string }>
}

interface Effects {
  readonly state: string
  readonly added: number
  readonly changed: number
}

const surfaces = ['the command line', 'HTTP', 'MCP'] as const

describe.skipIf(!canLayer).each(surfaces)('over %s', (surface) => {
  it.each(everyWay)(
    '%s writes, is previewed, held, accepted and undone',
    { timeout: 60_000 },
    async (tool) => {
      verifies('E1', 'E9', 'E14', 'E16')
      const crib = effectCrib()
      const way = await waysOf[surface](crib)
      const read = () => readFileSync(join(crib.root, 'notes.txt'), 'utf8')
      const before = read()
      const previewed = await way.write(tool, 'previewed\n', 'preview')
      expect(previewed.effects).toMatchObject({ state: 'discarded', changed: 1 })
      expect(await way.diff(previewed.run)).toContain('+previewed\n')
      expect(read()).toBe(before)

      const held = await way.write(tool, 'held\n', 'hold')
      expect(held.effects).toMatchObject({ state: 'held', changed: 1 })
      expect(read()).toBe(before)
      await way.accept(held.run, ['notes.txt'])
      expect(read()).toBe(`${before}held\n`)

      const written = await way.write(tool, 'written\n')
      expect(written.effects).toMatchObject({ state: 'committed', changed: 1 })
      expect(read()).toBe(`${before}held\nwritten\n`)

      await way.undo(written.run)
      expect(read()).toBe(`${before}held\n`)
      const { changeSet } = await way.undo(held.run)
      expect(read()).toBe(before)
      await way.undo(changeSet)
      expect(read()).toBe(`${before}held\n`)
    },
  )
})

const waysOf: {
  readonly [surface in (typeof surfaces)[number]]: (crib: EffectCrib) => Promise<Way>
} = {
  'the command line': async ({ root: cwd, env }) => {
    const run = async (...args: string[]) => (await toolcrib([...args, '--json'], { cwd, env })).json
    return {
      write: async (tool, text, how) => {
        const flags = how === undefined ? [] : [`--${how}`]
        const { runId, effects } = await run('run', tool, '--file', 'notes.txt', '--text', text, ...flags)
        return { run: runId, effects }
      },
      diff: async (id) => (await run('runs', 'show', id, '--diff')).effects.diff,
      accept: async (id, files) => void (await run('runs', 'accept', id, '--file', ...files)),
      undo: (id) => run('undo', id),
    }
  },

  HTTP: served,

  MCP: async (crib) => {
    const http = await served(crib)
    const client = new Client({ name: 'table', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [cli, 'mcp', '-C', crib.root, '-q'],
        env: { PATH: process.env['PATH'] ?? '', TOOLCRIB_TRUST_FOLDER: '1', ...crib.env },
        stderr: 'ignore',
      }),
    )
    onTestFinished(() => client.close())
    const { tools } = await client.listTools()
    const nameOf = (tool: string) =>
      tools.find(({ name }) => name.replaceAll(/[^a-z]/g, '') === tool.replaceAll(/[^a-z]/g, ''))!.name
    return {
      ...http,
      write: async (tool, text, how) => {
        const { _meta } = await client.callTool({
          name: nameOf(tool),
          arguments: { file: 'notes.txt', text },
          ...(how !== undefined && { _meta: { 'toolcrib/effects': how === 'hold' ? 'hold' : 'discard' } }),
        })
        const meta = _meta as { 'toolcrib/runId': string; 'toolcrib/effects': Effects }
        return { run: meta['toolcrib/runId'], effects: meta['toolcrib/effects'] }
      },
    }
  },
}

async function served({ root, env }: EffectCrib): Promise<Way> {
  const server = await serveProcess(root, [], env)
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await server.ask(method, path, body)
    expect(answer, `${method} ${path}: ${JSON.stringify(answer.body)}`).toMatchObject({ status: 200 })
    return answer.body
  }
  return {
    write: async (tool, text, how) => {
      const { runId, effects } = await ask('POST', `/api/tools/${tool}/call`, {
        params: { file: 'notes.txt', text },
        preview: how === 'preview',
        hold: how === 'hold',
      })
      return { run: runId, effects }
    },
    diff: async (run) => (await ask('GET', `/api/runs/${run}/changes`)).diff,
    accept: async (run, accept) => void (await ask('POST', `/api/runs/${run}/decide`, { accept })),
    undo: (run) => ask('POST', `/api/runs/${run}/undo`, {}),
  }
}
