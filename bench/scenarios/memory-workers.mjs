import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { toolDocument } from '../crumb-tool.mjs'
import { denoBinary } from '../deno-binary.mjs'
import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

const settleMs = 500
const files = {
  '.ai/tools/node_echo.mjs': `export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'node/node'
export const __category__ = ''
export const __tool_description__ = 'Give back what came'
export default (params) => ({ success: true, data: params })
`,
  '.ai/tools/python_echo.py': `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/function"
__category__ = ""
__tool_description__ = "Give back what came"

def execute(params, project_path):
    return {"success": True, "data": params}
`,
  'crumbs/deno_echo.json': JSON.stringify(
    toolDocument('deno_echo', 'export const execute = (input) => input'),
  ),
}

/** Every process below one, itself excluded. */
function descendants(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return children.flatMap((child) => [child, ...descendants(child)])
}

/** What processes hold for themselves: what comes back when they end. */
function megabytes(pids) {
  const kilobytes = pids.flatMap((pid) =>
    [
      ...readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_(?:Clean|Dirty):\s+(\d+)/gm),
    ].map(([, each]) => Number(each)),
  )
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024
}

/** A bare interpreter that waits. */
async function bare(file, args) {
  const child = spawn(file, args, { stdio: ['pipe', 'ignore', 'ignore'] })
  await delay(settleMs)
  const held = megabytes([child.pid, ...descendants(child.pid)])
  child.kill('SIGKILL')
  return held
}

/** A warm worker after one call, with the fence around it. */
async function worker(root, id) {
  const crib = await openCrib({ root, config: { trust: 'warn' } })
  const before = new Set(descendants(process.pid))
  const outcome = await crib.call(id, {})
  if (!outcome.ok) throw new Error(outcome.error.message)
  await delay(settleMs)
  const held = megabytes(descendants(process.pid).filter((pid) => !before.has(pid)))
  await crib.close()
  return held
}

export const scenario = {
  about: 'memory that one warm worker, fence included, holds while it waits for its next call',
  unit: 'MB',
  run: { rounds: 5, warmUp: 1 },
  async setup() {
    if (!existsSync('/proc/self/smaps_rollup')) return { skip: 'it reads /proc' }
    const { root, remove } = tempFolder()
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    const deno = denoBinary()
    const denoSides = deno && {
      'bare Deno': {
        measure: () =>
          bare(deno, ['eval', '--no-lock', 'await new Promise((done) => setTimeout(done, 60000))']),
      },
      'Deno worker': { measure: () => worker(root, 'deno_echo') },
    }
    return {
      reference: 'bare Node',
      sides: {
        'bare Node': { measure: () => bare(process.execPath, ['-e', 'process.stdin.resume()']) },
        'Node worker': { measure: () => worker(root, 'node_echo') },
        'bare Python': { measure: () => bare('python3', ['-c', 'import sys; sys.stdin.read()']) },
        'Python worker': { measure: () => worker(root, 'python_echo') },
        ...denoSides,
      },
      teardown: remove,
    }
  },
}
