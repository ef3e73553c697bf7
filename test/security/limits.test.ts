// Limits with their figures: how late a timeout is, how far memory overshoots, what a flood of output costs the host,
// and what thousands of runs leave behind. TOOLCRIB_SOAK sets the number of runs (10000 for the full proof).
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { probeCgroups } from '../../src/sandbox/cgroup/find-cgroups.ts'
import { isToolError } from '../../src/tool/tool-error.ts'
import { LogLines } from '../../src/workers/log-lines.ts'
import { runToEnd } from '../../src/workers/run-to-end.ts'
import { FencedCrib, realPython } from '../helpers/fenced.ts'
import { proves } from '../helpers/proves.ts'
import { cribOf, nodeTool, pythonTool } from './crib-of.ts'

const python = realPython()
const never = new AbortController().signal

describe.skipIf(python === undefined)('time', () => {
  it('is up when it is up, in every kind of process', async () => {
    proves('limit-time')
    const { crib } = await cribOf(
      {
        '.ai/tools/slow_python.py': pythonTool('import time\ntime.sleep(30)'),
        '.ai/tools/busy_python.py': pythonTool(
          'import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass',
        ),
        '.ai/tools/busy_node.js': nodeTool('for (;;);'),
        'skills/slow/SKILL.md': '---\nname: slow\ndescription: slow\n---\n',
        'skills/slow/tools.json': JSON.stringify({
          tools: [
            { name: 'slow_command', description: 'sleeps', parameters: { type: 'object', properties: {} } },
          ],
          allowlist: { sleep: [''] },
          execution: [
            {
              tool: 'slow_command',
              binary: 'sleep',
              subcommand: '',
              args: [{ kind: 'literal', value: '30' }],
            },
          ],
        }),
      },
      {},
    )
    const late: Record<string, number> = {}
    for (const id of ['slow_python', 'busy_python', 'busy_node', 'slow_command']) {
      const started = performance.now()
      const outcome = await crib.call(id, {}, { timeoutMs: 700 })
      late[id] = Math.round(performance.now() - started - 700)
      expect(outcome).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
    }
    console.info(
      `timeouts: late by ${Object.entries(late)
        .map(([id, ms]) => `${id} ${ms} ms`)
        .join(', ')} (goal 250 ms)`,
    )
    // A loaded machine is given room; the goal is judged by the printed figures.
    expect(Math.max(...Object.values(late))).toBeLessThan(5_000)
  }, 60_000)
})

describe.skipIf(python === undefined)('memory', () => {
  const home = probeCgroups().found
  const crib = new FencedCrib()
  afterAll(() => crib.close())

  it.skipIf(home?.parents.memory === undefined)(
    'ends at the limit where a cgroup holds it',
    async () => {
      proves('limit-memory')
      const limitMb = 160
      const hog = `
import sys, time
kept = []
while True:
    kept.append(bytearray(b"x") * (1 << 20))
    status = open("/proc/self/status").read()
    print([line.split()[1] for line in status.split("\\n") if line.startswith("VmRSS")][0], flush=True)`
      let said = ''
      const spec = crib.wrap(
        { file: python!, args: ['-I', '-S', '-c', hog], cwd: crib.project, env: {} },
        { memoryMb: limitMb },
      )
      const ended = runToEnd(crib.supervisor, spec, {
        maxBytes: 1_000_000,
        timeoutMs: 60_000,
        graceMs: 0,
        signal: never,
        onStdout: (chunk) => {
          said += chunk
        },
      })
      await expect(ended).rejects.toSatisfy((error) => isToolError(error) && error.code === 'MEMORY_LIMIT')
      const peakMb = Math.max(...said.trim().split('\n').map(Number)) / 1024
      console.info(
        `memory: ${limitMb} MB allowed, ${peakMb.toFixed(1)} MB resident at most (${(100 * (peakMb / limitMb - 1)).toFixed(1)} % over)`,
      )
      expect(peakMb).toBeLessThanOrEqual(limitMb * 1.1)
      expect(peakMb).toBeGreaterThan(limitMb / 2)
    },
    90_000,
  )

  it('of the host stays where it was while a tool writes a gigabyte', async () => {
    proves('limit-output')
    const before = process.memoryUsage().rss
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 20)
    const lines = new LogLines({ log: () => {}, progress: () => {} }, 'info')
    try {
      for (const [to, text] of [
        ['1', 'y'],
        ['2', '$(printf %01000d 0)'],
      ] as const) {
        const ended = await runToEnd(
          crib.supervisor,
          crib.wrap(crib.shell(`yes "${text}" | head -c 1000000000 >&${to}`), { memoryMb: 256 }),
          {
            maxBytes: 1_000_000,
            timeoutMs: 120_000,
            graceMs: 0,
            signal: never,
            onStderr: (chunk) => lines.take(chunk),
          },
        )
        const captured = to === '1' ? ended.stdout : ended.stderr
        expect(captured.truncated).toBe(true)
        expect(captured.text.length).toBeLessThanOrEqual(1_000_000)
      }
    } finally {
      clearInterval(watch)
    }
    const grownMb = (peak - before) / 1_048_576
    console.info(`output: 2 GB written by a tool, the host grew by ${grownMb.toFixed(0)} MB at most`)
    expect(grownMb).toBeLessThan(400)
  }, 250_000)
})

/** Processes below this one, zombies counted apart. */
function children(): { alive: string[]; zombies: number } {
  const alive: string[] = []
  let zombies = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, comm, state, parent] = /\((.*)\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))!
      if (Number(parent) !== process.pid) continue
      if (state === 'Z') zombies++
      else alive.push(`${pid} ${comm}`)
    } catch {
      // Gone meanwhile.
    }
  }
  return { alive, zombies }
}

/** Processes anywhere on the machine that have this among their arguments. */
function running(argument: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(argument)
    } catch {
      return false
    }
  })
}

describe.skipIf(python === undefined || process.platform !== 'linux')('many runs', () => {
  const count = Number(process.env['TOOLCRIB_SOAK'] ?? 100)

  it(
    `${count} with crashes, timeouts and cancels leave no process, no zombie and no descriptor`,
    async () => {
      proves('no-survivors')
      const before = new Set(children().alive)
      const marker = `600.${process.pid}`
      const { crib } = await cribOf(
        {
          '.ai/tools/mixed.py': pythonTool(
            `import time
how = params["how"]
if how == "crash": os.abort()
if how == "exit": os._exit(7)
if how == "raise": raise RuntimeError("x")
if how == "orphan":
    subprocess.Popen(["/bin/sh", "-c", "setsid sleep ${marker} & sleep ${marker}"])
if how in ("hang", "cancel"): time.sleep(600)
return {"success": True, "data": how}`,
          ),
        },
        { grants: { default: ['fs.read', 'shell.execute'] } },
      )
      const ways = ['fine', 'fine', 'fine', 'crash', 'exit', 'raise', 'orphan', 'hang', 'cancel', 'fine']
      const seen: Record<string, number> = {}
      const one = async (n: number): Promise<void> => {
        const how = ways[n % ways.length]!
        const leaving = new AbortController()
        if (how === 'cancel') setTimeout(() => leaving.abort(), 60)
        const outcome = await crib.call(
          'mixed',
          { how },
          { signal: leaving.signal, ...(how === 'hang' ? { timeoutMs: 60 } : {}) },
        )
        const end = outcome.ok ? 'ok' : outcome.error.code
        seen[end] = (seen[end] ?? 0) + 1
      }
      const batch = async (from: number, to: number): Promise<void> => {
        let next = from
        await Promise.all(
          Array.from({ length: 6 }, async () => {
            while (next < to) await one(next++)
          }),
        )
      }
      const descriptors = () => readdirSync('/proc/self/fd').length
      const warmUp = Math.min(40, count)
      await batch(0, warmUp)
      await vi.waitFor(() => expect(crib.supervisor.running).toBeLessThanOrEqual(8), { timeout: 20_000 })
      const open = descriptors()
      await batch(warmUp, count)
      await vi.waitFor(() => expect(descriptors()).toBeLessThanOrEqual(open + 16), { timeout: 20_000 })
      await crib.close()
      const left = await vi.waitFor(
        () => {
          const { alive, zombies } = children()
          const survivors = alive.filter((child) => !before.has(child))
          expect(survivors).toEqual([])
          expect(running(marker)).toEqual([])
          expect(zombies).toBe(0)
          return { survivors: survivors.length, zombies }
        },
        { timeout: 20_000 },
      )
      console.info(
        `soak: ${count} runs (${Object.entries(seen)
          .map(([end, n]) => `${end} ${n}`)
          .join(
            ', ',
          )}), ${left.survivors} survivors, ${left.zombies} zombies, descriptors ${open} then ${descriptors()}`,
      )
      expect(Object.values(seen).reduce((sum, n) => sum + n, 0)).toBe(count)
      for (const end of ['ok', 'TOOL_FAILED', 'TIMEOUT', 'CANCELLED']) expect(seen[end]).toBeGreaterThan(0)
    },
    Math.max(180_000, count * 200),
  )
})
