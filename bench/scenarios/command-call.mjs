import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { openCrib } from '../the-build.mjs'

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
  short: { rounds: 5, warmUp: 1 },
  async setup({ atOnce = 1 } = {}) {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    mkdirSync(join(root, 'skills/say'), { recursive: true })
    writeFileSync(join(root, 'skills/say/SKILL.md'), '---\nname: say\ndescription: says things\n---\nSay.\n')
    writeFileSync(
      join(root, 'skills/say/tools.json'),
      JSON.stringify({
        tools: [
          {
            name: 'say_text',
            parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
          },
        ],
        allowlist: { echo: [''] },
        execution: [{ tool: 'say_text', binary: 'echo', subcommand: '', args: [{ param: 'text' }] }],
      }),
    )
    const open = await openCrib({ root, config: { sandbox: 'off' } })
    const fenced = await openCrib({ root })
    const call = (crib) => async () => {
      const outcome = await crib.call('say_text', { text: 'hello' })
      if (!outcome.ok) throw new Error(outcome.error.message)
    }
    /** `calls` of them, `atOnce` in flight at any time. */
    const many = (once) => async () => {
      let left = calls
      const lane = async () => {
        while (left-- > 0) await once()
      }
      await Promise.all(Array.from({ length: atOnce }, lane))
    }
    return {
      reference: 'bare spawn',
      sides: {
        'bare spawn': {
          operations: calls,
          work: many(bareSpawn),
        },
        execa: {
          operations: calls,
          work: many(() => execa('/bin/echo', ['hello'])),
        },
        'ours, no fence': { operations: calls, work: many(call(open)) },
        'ours, fenced': { operations: calls, work: many(call(fenced)) },
      },
      async teardown() {
        await open.close()
        await fenced.close()
        rmSync(root, { recursive: true })
      },
    }
  },
}
