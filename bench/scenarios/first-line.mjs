import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { denoBinary } from '../deno-binary.mjs'
import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

const rounds = 9
const warmUp = 2
/** A tool that keeps its process is started once: every round has one of its own. */
const each = Array.from({ length: rounds + warmUp }, (_, n) => n)

const shell = `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category first
# @description Says when it began
printf '{"success": true, "data": "at=%s"}\\n' "$EPOCHREALTIME"
`
const python = `import time
at = time.time()
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/script"
__category__ = "first"
__tool_description__ = "Says when it began"
print('{"success": true, "data": "at=%.6f"}' % at)
`
const node = (tail) => `const at = performance.timeOrigin + performance.now()
export const __version__ = "1.0.0"
export const __tool_type__ = "javascript"
export const __executor_id__ = "rye/core/runtimes/node/node"
export const __category__ = "first"
export const __tool_description__ = "Says when it began"
export const CONFIG_SCHEMA = { type: "object", properties: {} }
export default function main() {
  return { success: true, output: "at=" + at / 1000 }
}
${tail}`
const deno = 'const at = performance.timeOrigin + performance.now()\n'
const toolCode = (n) => ({
  schema_name: 'tool.code.v1',
  title: `First ${n}`,
  tags: ['tool', `tool:first_${n}`, 'workspace:tools', 'self-contained'],
  context: {
    name: `first_${n}`,
    description: 'Says when it began',
    version: '1.0.0',
    code: {
      language: 'typescript',
      source: `${deno}export async function execute() {\n  return { at: "at=" + at / 1000 }\n}\n`,
    },
    input_schema: { type: 'object', properties: {} },
    output_schema: { type: 'object', properties: { at: { type: 'string' } } },
    required_secrets: [],
    limits: { memory_mb: 64, timeout_ms: 5000, cpu_percent: 100 },
    permissions: { network: false },
    examples: [{ description: 'begins', input: {} }],
  },
})

const nowMs = () => performance.timeOrigin + performance.now()

/** Until the first line of what was asked for, by its own clock. */
const sinceMs = (asked, text) => Number(/at=([\d.]+)/.exec(text)[1]) * 1000 - asked

const outputOf = (file, args, cwd) =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('close', () => resolve(text))
  })

/** From asked to the first line of the tool, fenced and on a layer, against the interpreter started bare. */
export const scenario = {
  about: 'from asked to the first line of a tool whose process is not there yet, fenced, on a layer',
  unit: 'ms',
  run: { rounds, warmUp },
  async setup() {
    const { root, remove } = tempFolder()
    const project = join(root, 'project')
    for (const folder of ['.ai/tools/first', 'crumbs']) mkdirSync(join(project, folder), { recursive: true })
    const tool = (name, text) => writeFileSync(join(project, '.ai/tools/first', name), text)
    tool('shell.sh', shell)
    tool('script.py', python)
    for (const n of each) {
      tool(`node_${n}.js`, node(''))
      writeFileSync(join(project, `crumbs/first_${n}.json`), JSON.stringify(toolCode(n)))
    }
    writeFileSync(join(root, 'bare.mjs'), node('console.log(main().output)'))
    writeFileSync(join(root, 'bare.ts'), `${deno}console.log("at=" + at / 1000)\n`)
    const env = { PATH: process.env.PATH, HOME: join(root, 'home'), XDG_STATE_HOME: join(root, 'state') }
    const crib = await openCrib({
      root: project,
      env,
      trustFolder: true,
      config: { trust: 'off', grants: { default: ['fs.read', 'fs.write', 'shell.execute'] } },
    })
    const planned = await crib.dryRun('first/script', {})
    if (!planned.ok) return { skip: planned.error.message }
    const ours = (ids) => {
      let round = 0
      return {
        measure: async () => {
          const id = ids[round++ % ids.length]
          const asked = nowMs()
          const outcome = await crib.call(id, {})
          if (!outcome.ok) throw new Error(`${id}: ${outcome.error.message}`)
          return sinceMs(asked, JSON.stringify(outcome.value))
        },
      }
    }
    const bare = (file, ...args) => ({
      measure: async () => {
        const asked = nowMs()
        return sinceMs(asked, await outputOf(file, args, root))
      },
    })
    return {
      reference: 'shell, bare',
      sides: {
        'shell, bare': bare('/bin/bash', join(project, '.ai/tools/first/shell.sh')),
        'shell, ours': ours(['first/shell']),
        'Python, bare': bare(planned.plan.resolvedBinary, join(project, '.ai/tools/first/script.py')),
        'Python, ours': ours(['first/script']),
        'Node, bare': bare(process.execPath, join(root, 'bare.mjs')),
        'Node, ours, first call': ours(each.map((n) => `first/node_${n}`)),
        'Deno, bare': bare(denoBinary(), 'run', '--no-remote', '--no-npm', join(root, 'bare.ts')),
        'Deno, ours, first call': ours(each.map((n) => `first_${n}`)),
      },
      async teardown() {
        await crib.close()
        remove()
      },
    }
  },
}
