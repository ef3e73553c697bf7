// Rye tools that misbehave: each ends with a clear code, nothing stays behind, and the next tool runs as ever.
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { removeCribs, writeCrib } from '../helpers/rye-crib.ts'
import { has } from '../helpers/system-parts.ts'
import { verifies } from '../helpers/verifies.ts'

const sleeper = '86421'

const bodies: Record<string, string> = {
  good: 'def execute(p, q):\n    return {"success": True, "output": "good"}\n',
  garbage:
    'import os, sys\ndef execute(p, q):\n    os.write(1, b"\\x00\\xff{garbage\\n{\\"success\\": false}\\n")\n    sys.stderr.buffer.write(b"\\xff\\xfe")\n    return {"success": True, "output": 1}\n',
  forever: 'def execute(p, q):\n    while True: pass\n',
  deaf: 'import signal, time\ndef execute(p, q):\n    for s in (signal.SIGTERM, signal.SIGINT): signal.signal(s, signal.SIG_IGN)\n    while True: time.sleep(1)\n',
  killed: 'import os, signal\ndef execute(p, q):\n    os.kill(os.getpid(), signal.SIGKILL)\n',
  crashed: 'import os, signal\ndef execute(p, q):\n    os.kill(os.getpid(), signal.SIGSEGV)\n',
  hungry: 'def execute(p, q):\n    x = []\n    while True: x.append(bytearray(10_000_000))\n',
  daemon: `import os, time\ndef execute(p, q):\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0:\n            os.execvp("sleep", ["sleep", "${sleeper}"])\n        os._exit(0)\n    return {"success": True, "output": "left"}\n`,
  huge: 'def execute(p, q):\n    return {"success": True, "output": "x" * 100_000_000}\n',
  circular: 'def execute(p, q):\n    d = {"success": True}; d["d"] = d\n    return d\n',
  bottomless:
    'def execute(p, q):\n    d = {}\n    for i in range(100000): d = {"d": d}\n    return {"success": True, "d": d}\n',
  leaves: 'import os\ndef execute(p, q):\n    os._exit(0)\n',
  exits: 'import sys\ndef execute(p, q):\n    sys.exit(3)\n',
  unimportable: 'import nosuchmodule\ndef execute(p, q):\n    return {}\n',
  maybe: 'def execute(p, q):\n    return {"success": "yes"}\n',
  number: 'def execute(p, q):\n    return 5\n',
}

const head = (executor = 'python/function') =>
  `__version__ = "1.0.0"\n__tool_type__ = "python"\n__executor_id__ = "${executor}"\n__category__ = ""\n__tool_description__ = "x"\n`

let crib: Crib
beforeAll(async () => {
  const root = writeCrib({
    ...Object.fromEntries(
      Object.entries(bodies).map(([name, body]) => [`.ai/tools/${name}.py`, head() + body]),
    ),
    'toolcrib.yaml': 'limits: { memoryMb: 300, outputBytes: 1000000 }\n',
  })
  crib = await openCrib({ root, env: { ...process.env, HOME: root } })
})
afterAll(async () => {
  await crib.close()
  removeCribs()
})

describe.skipIf(!has('python3'))('a tool that', () => {
  it.each([
    ['garbage', 'ok', 0],
    ['forever', 'TIMEOUT', 1_500],
    ['deaf', 'TIMEOUT', 1_500],
    ['killed', 'TOOL_FAILED', 0],
    ['crashed', 'TOOL_FAILED', 0],
    ['hungry', 'MEMORY_LIMIT', 0],
    ['huge', 'OUTPUT_TOO_LARGE', 0],
    ['circular', 'TOOL_FAILED', 0],
    ['bottomless', 'TOOL_FAILED', 0],
    ['leaves', 'TOOL_FAILED', 0],
    ['exits', 'TOOL_FAILED', 0],
    ['unimportable', 'TOOL_FAILED', 0],
    ['maybe', 'TOOL_FAILED', 0],
    ['number', 'ok', 0],
  ])('is %s ends with %s and disturbs no other', async (name, code, timeoutMs) => {
    verifies('R40', 'R42', 'R43')
    const outcome = await crib.call(name, {}, timeoutMs > 0 ? { timeoutMs } : {})
    expect(outcome.ok ? 'ok' : outcome.error.code).toBe(code)
    if (!outcome.ok) expect(outcome.error.message).not.toBe('')
    expect(await crib.call('good', {})).toMatchObject({ ok: true, value: { output: 'good' } })
  })

  it.each([
    ['killed', 'SIGKILL'],
    ['crashed', 'SIGSEGV'],
  ])('is %s names %s, inside the fence too, and may be tried again', async (name, signal) => {
    verifies('R43', 'R48')
    const outcome = await crib.call(name, {})
    expect(outcome).toMatchObject({ error: { details: { signal }, retryable: true } })
  })

  it('leaves a daemon behind leaves none once the crib is closed', async () => {
    expect(await crib.call('daemon', {})).toMatchObject({ ok: true })
    await crib.close()
    await expect.poll(sleepers, { timeout: 20_000 }).toEqual([])
  })
})

function sleepers(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${sleeper}\0`
    } catch {
      return false
    }
  })
}
