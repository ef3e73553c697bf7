import { existsSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RyeTestBed } from '../../../test/helpers/rye-test-bed.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { Outcome } from '../../tool/outcome.ts'

let bed: RyeTestBed
let count = 0

beforeAll(() => {
  bed = new RyeTestBed()
})
afterAll(() => bed.close())

function python(code: string, entryName: 'execute' | 'main' = 'execute', given = {}) {
  const file = bed.write(`.ai/tools/t${++count}/tool.py`, code)
  return bed.tool('python/function', file, { entry: 'function', entryName, ...given })
}

function messages(ran: { readonly logs: readonly { readonly message: string }[] }): string[] {
  return ran.logs.map((line) => line.message)
}

/** Resolves once the process of that pid is gone. */
async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return true
    } catch {
      return true
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return false
}

describe('calling', () => {
  it('gives execute the params and the project path', async () => {
    const tool = python(
      'def execute(params, project_path):\n    return {"success": True, "got": [params, project_path]}',
    )
    expect(await bed.run(tool, { timeout: 5, cwd: 'x' })).toMatchObject({
      value: { success: true, got: [{ timeout: 5, cwd: 'x' }, bed.dir] },
    })
    verifies('R32')
  })

  it.each([
    ['def execute(params): return {"success": True, "n": params["n"]}', 'execute'],
    [
      'def execute(params, *, project_path): return {"success": True, "n": params["n"], "p": project_path}',
      'execute',
    ],
    ['async def execute(params, project_path): return {"success": True, "n": params["n"]}', 'execute'],
    ['def main(n): return {"success": True, "n": n}', 'main'],
    ['def main(**kw): return {"success": True, "n": kw["n"]}', 'main'],
    [
      'async def main(n=0):\n    import asyncio\n    await asyncio.sleep(0)\n    return {"success": True, "n": n}',
      'main',
    ],
    ['class T:\n    def __call__(self, n): return {"success": True, "n": n}\nmain = T()', 'main'],
  ] as const)('calls %j', async (code, entry) => {
    expect((await bed.run(python(code, entry), { n: 7 })).value).toMatchObject({ success: true, n: 7 })
  })

  it('gives main the resolved configuration only if it takes it', async () => {
    verifies('R53')
    const configResolve = { requests: [], isList: false }
    const plain = python('def main(a): return {"success": True, "a": a}', 'main', { configResolve })
    const taking = python(
      'def main(a, resolved_config): return {"success": True, "c": resolved_config}',
      'main',
      { configResolve },
    )
    const params = { a: 1, resolved_config: { b: 2 } }
    expect((await bed.run(plain, params)).value).toEqual({ success: true, a: 1 })
    expect((await bed.run(taking, params)).value).toEqual({ success: true, c: { b: 2 } })
  })

  it('lays fixed_params over the params, nested under params_key first', async () => {
    verifies('R32')
    const config = { params_key: 'input', fixed_params: { mode: 'fast' } }
    const tool = python('def execute(params, p): return {"success": True, "params": params}', 'execute', {
      config,
    })
    expect((await bed.run(tool, { a: 1, mode: 'slow' })).value.params).toEqual({
      input: { a: 1, mode: 'slow' },
      mode: 'fast',
    })
  })

  it('keeps the process: what a module remembers is there at the next call', async () => {
    const tool = python(
      'import os\nn = 0\ndef execute(params, p):\n    global n\n    n += 1\n    return {"success": True, "n": n, "pid": os.getpid()}',
    )
    const first = await bed.run(tool)
    const second = await bed.run(tool)
    expect([first.value.n, second.value.n]).toEqual([1, 2])
    expect(second.value.pid).toBe(first.value.pid)
  })

  it('imports the file afresh when it or a helper it imported changed', async () => {
    const tool = python(
      'import helper\nTOP = 1\ndef execute(params, p): return {"success": True, "v": [TOP, helper.VALUE]}',
    )
    const folder = `.ai/tools/t${count}`
    bed.write(`${folder}/helper.py`, 'VALUE = 1')
    expect((await bed.run(tool)).value.v).toEqual([1, 1])
    bed.write(`${folder}/helper.py`, 'VALUE = 2')
    utimesSync(join(bed.dir, folder, 'helper.py'), 1, 1)
    expect((await bed.run(tool)).value.v).toEqual([1, 2])
    bed.write(
      `${folder}/tool.py`,
      'import helper\nTOP = 9\ndef execute(params, p): return {"success": True, "v": [TOP, helper.VALUE]}',
    )
    expect((await bed.run(tool)).value.v).toEqual([9, 2])
  })

  it('finds siblings after the standard library, and writes no bytecode beside them', async () => {
    verifies('R31')
    const tool = python(
      'import json, mine\ndef execute(params, p): return {"success": True, "v": [json.dumps([]), mine.V]}',
    )
    bed.write(`.ai/tools/t${count}/json.py`, 'raise Exception("shadowed")')
    bed.write(`.ai/tools/t${count}/mine.py`, 'V = 3')
    expect((await bed.run(tool)).value.v).toEqual(['[]', 3])
    expect(existsSync(join(bed.dir, `.ai/tools/t${count}/__pycache__`))).toBe(false)
  })

  it('puts an anchor first on the path and lets a package import relatively', async () => {
    verifies('R31')
    const tool = python(
      'from .near import A\nimport near\ndef execute(params, p): return {"success": True, "v": [A, near.A]}',
    )
    bed.write(`.ai/tools/t${count}/__init__.py`, '')
    bed.write(`.ai/tools/t${count}/near.py`, 'A = "a"')
    expect((await bed.run(tool)).value.v).toEqual(['a', 'a'])
  })

  it('does not load bytecode that lies in the project', async () => {
    const tool = python('import sly\ndef execute(params, p): return {"success": True, "v": sly.V}')
    const folder = join(bed.dir, `.ai/tools/t${count}`)
    bed.write(`.ai/tools/t${count}/sly.py`, 'V = "evil"')
    const compiler = bed.write(
      `.ai/tools/c${count}/compile.py`,
      `import py_compile, os
def execute(params, p):
    source = "${folder}/sly.py"
    py_compile.compile(source)
    stat = os.stat(source)
    with open(source, "w") as file: file.write('V = "good"')
    os.utime(source, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return {"success": True, "v": os.listdir("${folder}/__pycache__")}`,
    )
    const compiled = await bed.run(
      bed.tool('python/function', compiler, { entry: 'function', entryName: 'execute' }),
    )
    expect(compiled.value.v).toHaveLength(1)
    expect((await bed.run(tool)).value.v).toBe('good')
  })

  it('leaves folder, environment and arguments as they were for the next call', async () => {
    const tool = python(`import os, sys
def execute(params, p):
    seen = [os.getcwd(), os.environ.get("LEFT"), os.environ.get("HOME") is not None, len(sys.argv)]
    os.chdir("/"); os.environ["LEFT"] = "x"; os.environ.pop("HOME", None); sys.argv.append("y")
    return {"success": True, "seen": seen}`)
    await bed.run(tool)
    expect((await bed.run(tool)).value.seen).toEqual([bed.dir, null, true, 1])
  })

  it('sets variables of the call for that call alone', async () => {
    verifies('R34', 'R38')
    const tool = python(
      'import os\ndef execute(params, p): return {"success": True, "v": os.environ.get("WHO")}',
      'execute',
      {
        env: { WHO: '{name}' },
        declaredParams: ['name'],
      },
    )
    expect((await bed.run(tool, { name: 'Ada' })).value.v).toBe('Ada')
    expect((await bed.run(tool, {})).value.v).toBe(null)
    expect((await bed.run(tool, { name: '{project_path}' })).value.v).toBe('{project_path}')
  })
})

describe('results', () => {
  it('keeps everything printed out of the result, also by other programs', async () => {
    verifies('R40')
    const tool = python(`import os, sys, subprocess
def execute(params, p):
    print('{"success": false}')
    os.write(1, b"raw\\n")
    subprocess.run(["sh", "-c", "echo child; echo warn >&2"])
    return {"success": True}`)
    const ran = await bed.run(tool)
    expect(ran.value).toEqual({ success: true })
    expect(messages(ran)).toEqual(expect.arrayContaining(['{"success": false}', 'raw', 'child', 'warn']))
  })

  it('makes strings of what JSON cannot hold, null of NaN and infinities', async () => {
    verifies('R40')
    const tool = python(`import datetime, decimal
def execute(params, p):
    return {"success": True, "d": datetime.date(2020, 1, 2), "x": decimal.Decimal("1.5"), "n": float("nan"),
            "i": [float("-inf")], "t": (1, 2), 3: "three", ("a", 1): None, "s": "\\ud800"}`)
    expect((await bed.run(tool)).value).toEqual({
      success: true,
      d: '2020-01-02',
      x: '1.5',
      n: null,
      i: [null],
      t: [1, 2],
      '3': 'three',
      "('a', 1)": null,
      s: '\ud800',
    })
  })

  it('reports an exception with type and message, its traceback in the logs', async () => {
    verifies('R40')
    const ran = await bed.run(python('def execute(params, p):\n    raise KeyError("missing thing")'))
    expect(ran.error).toMatchObject({
      code: 'TOOL_FAILED',
      message: "KeyError: 'missing thing'",
      retryable: false,
    })
    expect(messages(ran).join('\n')).toMatch(/Traceback[\s\S]*tool\.py", line 2, in execute/)
    expect(messages(ran).join('\n')).not.toContain('worker.py')
  })

  it('judges a function that returns nothing by its prints', async () => {
    verifies('R41')
    const json = await bed.run(
      python('def execute(params, p):\n    print("first")\n    print(\'{"success": true, "n": 1}\')'),
    )
    expect(json.value).toEqual({ success: true, n: 1 })
    expect((await bed.run(python('def main():\n    print("text")', 'main'))).value).toEqual({
      success: true,
      output: 'text',
    })
  })

  it.each([
    ['{"success": False, "error": "no luck"}', 'no luck', false],
    ['{"success": False, "error": "later", "retryable": True}', 'later', true],
    ['{"success": False, "stderr": "said there"}', 'said there', false],
    ['{"success": "yes"}', '"success" of the result is "yes"', false],
  ])('fails when the result is %s', async (result, message, retryable) => {
    verifies('R42', 'R43', 'R48')
    const { error } = await bed.run(python(`def execute(params, p): return ${result}`))
    expect(error).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringContaining(message), retryable })
    expect((error!.details as { result: object }).result).toHaveProperty('success')
  })

  it('warns of a result without success, and fails on it when strict', async () => {
    verifies('R42')
    const tool = python('def execute(params, p): return {"n": 1}')
    const ran = await bed.run(tool)
    expect(ran.value).toEqual({ n: 1 })
    expect(ran.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', data: { code: 'result-no-success' } }),
    )
    expect((await bed.run(tool, {}, { strict: true })).error).toMatchObject({ code: 'TOOL_FAILED' })
  })

  it('wraps what is no object: quietly from main, with a warning from execute', async () => {
    verifies('R42')
    const main = await bed.run(python('def main(): return [1, 2]', 'main'))
    expect(main.value).toEqual({ success: true, output: [1, 2] })
    expect(main.logs).toEqual([])
    const tool = python('def execute(params, p): return 5')
    const ran = await bed.run(tool)
    expect(ran.value).toEqual({ success: true, output: 5 })
    expect(ran.logs).toContainEqual(expect.objectContaining({ data: { code: 'result-not-object' } }))
    expect((await bed.run(tool, {}, { strict: true })).error?.message).toContain('result-not-object')
  })

  it('passes progress lines on as progress and not as logs', async () => {
    const ran = await bed.run(
      python(
        'import toolcrib\ndef execute(params, p):\n    print("::progress 1/4 one")\n    toolcrib.progress(2)\n    return {"success": True}',
      ),
    )
    expect(ran.progress).toEqual([{ done: 1, total: 4, message: 'one' }, { done: 2 }])
    expect(ran.logs).toEqual([])
  })
})

describe('calling other tools', () => {
  const code = `import toolcrib
def execute(params, p):
    try:
        return {"success": True, "got": toolcrib.execute(params["ref"], {"a": 1})}
    except toolcrib.ToolFailed as error:
        return {"success": True, "code": error.code}`
  const invoke = async (ref: string, args: unknown): Promise<Outcome> => ({
    ok: true,
    value: { ref, args },
    logs: [],
    ms: 0,
    runId: 'r',
    enforcement: { layers: [], dimensions: {} },
  })

  it('goes over the channel when the tool may', async () => {
    verifies('R68')
    const tool = python(code)
    const profile = { calls: ['rye.execute.tool.math.add'] }
    expect((await bed.run(tool, { ref: 'math/add' }, { profile, invoke })).value.got).toEqual({
      ref: 'math/add',
      args: { a: 1 },
    })
    expect((await bed.run(tool, { ref: 'math/sub' }, { profile, invoke })).value.code).toBe(
      'CAPABILITY_DENIED',
    )
  })

  it('may be started without waiting, with a capability of its own', async () => {
    verifies('R68')
    const started: string[] = []
    const slow = (ref: string) => {
      started.push(ref)
      return new Promise<Outcome>(() => {})
    }
    const tool = python(`import toolcrib
def execute(params, p):
    try:
        toolcrib.spawn("jobs/long", {"a": 1})
        return {"success": True}
    except toolcrib.ToolFailed as error:
        return {"success": True, "code": error.code}`)
    const may = {
      profile: { calls: ['rye.execute.tool.jobs.long', 'rye.execute.spawn.thread'] },
      invoke: slow,
    }
    expect((await bed.run(tool, {}, may)).value).toEqual({ success: true })
    const mayNot = { profile: { calls: ['rye.execute.tool.jobs.long'] }, invoke: slow }
    expect((await bed.run(tool, {}, mayNot)).value.code).toBe('CAPABILITY_DENIED')
    expect(started).toEqual(['jobs/long'])
  })

  it('is refused without the capability', async () => {
    verifies('R68')
    expect((await bed.run(python(code), { ref: 'math/add' }, { invoke })).value.code).toBe(
      'CAPABILITY_DENIED',
    )
  })
})

describe('bad tools', () => {
  const next = async (tool: ReturnType<typeof python>) => (await bed.run(tool, { ok: true })).value

  it('ends a call that never returns, with its process, and serves the next', async () => {
    verifies('R46', 'R48')
    const tool = python(`import os, time
def execute(params, p):
    if params.get("ok"): return {"success": True}
    open("${bed.dir}/pid", "w").write(str(os.getpid()))
    while True: time.sleep(1)`)
    const ran = await bed.run(tool, {}, { signal: AbortSignal.timeout(600) })
    expect(ran.error).toMatchObject({ code: 'TIMEOUT', retryable: true })
    expect(await gone(Number(readFileSync(join(bed.dir, 'pid'), 'utf8')))).toBe(true)
    expect(await next(tool)).toEqual({ success: true })
  })

  it('ends a cancelled call', async () => {
    const controller = new AbortController()
    const tool = python(
      'import time\ndef execute(params, p):\n    print("::progress 1", flush=True)\n    time.sleep(60)',
    )
    const { attempt } = bed.attempt(tool, {}, { signal: controller.signal })
    const running = (await bed.runtime(tool)).run({ ...attempt, progress: () => controller.abort() })
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it.each([
    ['import os; os._exit(3)', { code: 'TOOL_FAILED', details: { exit_code: 3 }, retryable: false }],
    ['import os; os._exit(137)', { code: 'TOOL_FAILED', details: { exit_code: 137 }, retryable: false }],
    [
      'import os; os.kill(os.getpid(), 9)',
      { code: 'TOOL_FAILED', details: { signal: 'SIGKILL' }, retryable: true },
    ],
    ['import os; os.abort()', { code: 'TOOL_FAILED', details: { signal: 'SIGABRT' }, retryable: true }],
    ['import sys; sys.exit(4)', { code: 'TOOL_FAILED', details: { exit_code: 4 } }],
    ['import sys; sys.exit("bye")', { code: 'TOOL_FAILED', message: 'bye' }],
    ['raise KeyboardInterrupt()', { code: 'TOOL_FAILED', message: 'KeyboardInterrupt' }],
    ['raise MemoryError()', { code: 'MEMORY_LIMIT' }],
    ['return "x" * 100_000_000', { code: 'OUTPUT_TOO_LARGE' }],
    ['import os; os.write(64, b"x" * 100_000_000)', { code: 'OUTPUT_TOO_LARGE' }],
    ['import os; os.write(64, b"garbage\\n"); return {"success": True}', { code: 'TOOL_FAILED' }],
    ['a = []; a.append(a); return a', { code: 'TOOL_FAILED' }],
    ['def f(): f()\n    f()', { code: 'TOOL_FAILED', message: expect.stringContaining('RecursionError') }],
  ])('%s', async (body, error) => {
    const tool = python(
      `def execute(params, p):\n    if params.get("ok"): return {"success": True}\n    ${body}`,
    )
    expect((await bed.run(tool)).error).toMatchObject(error)
    expect(await next(tool)).toEqual({ success: true })
  })

  it('reports a file that cannot be imported, and sees when it was repaired', async () => {
    const tool = python('def execute(params, p:\n')
    expect((await bed.run(tool)).error).toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringMatching(/^SyntaxError/),
    })
    bed.write(`.ai/tools/t${count}/tool.py`, 'def execute(params, p): return {"success": True}')
    expect((await bed.run(tool)).value).toEqual({ success: true })
  })

  it('ends what a call left running, a daemon in a session of its own included', async () => {
    const tool = python(`import os, subprocess
def execute(params, p):
    subprocess.Popen(["sleep", "61"], start_new_session=True)
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(write, str(os.getpid()).encode())
            os.execvp("sleep", ["sleep", "62"])
        os._exit(0)
    return {"success": True, "pid": int(os.read(read, 20))}`)
    const ran = await bed.run(tool)
    expect(await gone(ran.value.pid)).toBe(true)
  })

  it('survives a tool that forks and lets both sides return', async () => {
    const tool = python(
      'import os\ndef execute(params, p):\n    os.fork()\n    return {"success": True, "pid": os.getpid()}',
    )
    const first = await bed.run(tool)
    expect((await bed.run(tool)).value.pid).toBe(first.value.pid)
  })

  it('survives a flood of prints', async () => {
    const tool = python(
      'def execute(params, p):\n    for n in range(60000): print("line " * 20, n)\n    return {"success": True}',
    )
    const ran = await bed.run(tool)
    expect(ran.value).toEqual({ success: true })
    expect(ran.logs.at(-1)?.message).toContain('dropped')
  })

  it('runs calls of one tool side by side, and nested ones without waiting for themselves', async () => {
    const tool = python(
      'import time\ndef execute(params, p):\n    time.sleep(0.02)\n    return {"success": True, "n": params["n"]}',
    )
    const all = await Promise.all(Array.from({ length: 12 }, (_, n) => bed.run(tool, { n })))
    expect(all.map((ran) => ran.value.n)).toEqual([...all.keys()])
    const nesting = python(
      'import toolcrib\ndef execute(params, p):\n    if params["n"]: toolcrib.execute("self", {"n": params["n"] - 1})\n    return {"success": True}',
    )
    const call = async (n: number, depth: number): Promise<Outcome> => {
      const ran = await bed.run(
        nesting,
        { n },
        {
          depth,
          profile: { calls: ['rye.execute'] },
          invoke: (_, args) => call((args as { n: number }).n, depth + 1),
        },
      )
      return {
        ok: true,
        value: ran.value,
        logs: [],
        ms: 0,
        runId: '',
        enforcement: { layers: [], dimensions: {} },
      }
    }
    expect(await call(8, 0)).toMatchObject({ value: { success: true } })
  })
})
