import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCrib } from '../../dist/index.js'

const calls = 40

function bareSpawn() {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/echo', ['hello'], { stdio: ['pipe', 'pipe', 'pipe'] })
    child.stdin.end()
    child.stdout.resume()
    child.stderr.resume()
    child.on('error', reject)
    child.on('close', resolve)
  })
}

export const scenario = {
  about: 'an allowlisted command, one after the other',
  unit: 'ms',
  run: { rounds: 9, warmUp: 2 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    mkdirSync(join(root, 'skills/say'), { recursive: true })
    writeFileSync(join(root, 'skills/say/SKILL.md'), '---\nname: say\ndescription: says things\n---\nSay.\n')
    writeFileSync(
      join(root, 'skills/say/tools.json'),
      JSON.stringify({
        tools: [
          {
            name: 'say',
            parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
          },
        ],
        allowlist: { echo: [''] },
        execution: [{ tool: 'say', binary: 'echo', subcommand: '', args: [{ param: 'text' }] }],
      }),
    )
    const open = await openCrib({ root, config: { sandbox: 'off' } })
    const fenced = await openCrib({ root })
    const call = (crib) => async () => {
      for (let i = 0; i < calls; i++) {
        const outcome = await crib.call('say', { text: 'hello' })
        if (!outcome.ok) throw new Error(outcome.error.message)
      }
    }
    return {
      reference: 'bare spawn',
      sides: {
        'bare spawn': {
          operations: calls,
          work: async () => {
            for (let i = 0; i < calls; i++) await bareSpawn()
          },
        },
        'ours, no fence': { operations: calls, work: call(open) },
        'ours, fenced': { operations: calls, work: call(fenced) },
      },
      async teardown() {
        await open.close()
        await fenced.close()
        rmSync(root, { recursive: true })
      },
    }
  },
}
