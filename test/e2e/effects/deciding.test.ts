// A person decides on what a call holds: at the terminal, and at the other end of an MCP client of either era (E9).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { effectCrib } from '../../helpers/effect-tools.ts'
import { canLayer } from '../../helpers/layered.ts'
import { has } from '../../helpers/system-parts.ts'
import { terminal } from '../../helpers/terminal.ts'
import { cli } from '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'

const held = { 'crib/toolcrib.yaml': 'trust: "off"\neffects: { tools: { "write/*": hold } }\n' }

describe.skipIf(!canLayer)('what is held', () => {
  it.each([
    ['accept', '', 'committed', 'first\nx\n'],
    ['accept', 'notes.txt', 'committed', 'first\nx\n'],
    ['reject', '', 'discarded', 'first\n'],
    ['later', '', 'held', 'first\n'],
  ])(
    'is shown to the user of an MCP client, who says %s %s',
    { timeout: 30_000 },
    async (decision, files, state, text) => {
      verifies('E9')
      const { root, env } = effectCrib(held)
      const client = new Client({ name: 'asked', version: '1' }, { capabilities: { elicitation: {} } })
      const shown: string[] = []
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        shown.push(params.message)
        return { action: 'accept', content: { decision, files } }
      })
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [cli, 'mcp', '-C', root, '-q'],
          env: { PATH: process.env['PATH'] ?? '', TOOLCRIB_TRUST_FOLDER: '1', ...env },
          stderr: 'ignore',
        }),
      )
      onTestFinished(() => client.close())
      const args = { file: 'notes.txt', text: 'x\n' }
      const { _meta } = await client.callTool({ name: 'write_sh', arguments: args })
      expect(shown).toEqual([expect.stringContaining('+x\n')])
      expect(_meta).toMatchObject({ 'toolcrib/effects': { state } })
      expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe(text)
    },
  )

  it.skipIf(!has('script'))(
    'is shown at the terminal, which asks what becomes of it',
    { timeout: 60_000 },
    async () => {
      verifies('E9')
      const { root, env } = effectCrib(held)
      const shown = terminal(['run', 'write/sh', '--file', 'notes.txt', '--text', 'x'], root, env)
      await shown.waitFor('What becomes of these changes?')
      expect(shown.screen().join('\n')).toContain('+x')
      shown.press('\r')
      expect(await shown.ended).toBe(0)
      expect(shown.screen().at(-1)).toContain('Undo: toolcrib undo')
      expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('first\nx')
    },
  )
})
