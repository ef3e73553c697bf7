import { execFile, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { toolDocument } from '../crumb-tool.mjs'
import { denoBinary } from '../deno-binary.mjs'
import { medianCall } from '../json-lines.mjs'
import { place } from '../placement.mjs'
import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

const calls = 300
const run = promisify(execFile)

/** The least a persistent process can do: read a line of JSON, add, write a line of JSON. */
const lineServer = `
const decoder = new TextDecoder()
const encoder = new TextEncoder()
let rest = ''
for await (const chunk of Deno.stdin.readable) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, input } = JSON.parse(line)
    await Deno.stdout.write(encoder.encode(JSON.stringify({ id, output: { sum: input.a + input.b } }) + '\\n'))
  }
}`

function busyFor(ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** The median time of one call with Deno on the other core, in µs. */
function middleOf(call) {
  place('apart')
  return medianCall(calls, call)
}

export const scenario = {
  about: 'a warm call of a tool-code tool, fenced, checked and recorded',
  unit: 'µs',
  run: { rounds: 11, warmUp: 2 },
  async setup() {
    const deno = denoBinary()
    if (!deno) return { skip: 'there is no Deno' }
    const { root, remove } = tempFolder()
    mkdirSync(join(root, 'crumbs'))
    const source = 'export const execute = ({ a, b }) => ({ sum: a + b })'
    writeFileSync(join(root, 'crumbs', 'add.json'), JSON.stringify(toolDocument('add', source)))
    writeFileSync(join(root, 'lines.js'), lineServer)
    writeFileSync(join(root, 'once.js'), 'console.log(JSON.stringify({ sum: 1 + 2 }))')
    const crib = await openCrib({ root, env: { HOME: root, PATH: process.env.PATH } })
    const bare = spawn(deno, ['run', '--no-prompt', join(root, 'lines.js')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const answers = createInterface({ input: bare.stdout })
    const ask = (id, input) =>
      new Promise((resolve) => {
        answers.once('line', (line) => resolve(JSON.parse(line).output))
        bare.stdin.write(`${JSON.stringify({ id, input })}\n`)
      })
    return {
      reference: 'JSON lines to a Deno process',
      sides: {
        'JSON lines to a Deno process': {
          measure: () =>
            middleOf(async (n) => {
              if ((await ask(n, { a: n, b: 1 })).sum !== n + 1) throw new Error('wrong')
            }),
        },
        // A core that has nothing to do for longer sleeps deeper: the same round trip, asked for as seldom as ours.
        'JSON lines, 0.1 ms of other work between': {
          measure() {
            place('apart')
            return medianCall(
              calls,
              (n) => ask(n, { a: n, b: 1 }),
              () => busyFor(0.1),
            )
          },
        },
        'ours, warm': {
          measure: () =>
            middleOf(async (n) => {
              const outcome = await crib.call('add', { a: n, b: 1 })
              if (!outcome.ok || outcome.value.sum !== n + 1) throw new Error(JSON.stringify(outcome))
            }),
        },
        'deno run per call': {
          measure() {
            place('anywhere')
            return medianCall(3, () => run(deno, ['run', '--no-prompt', join(root, 'once.js')]))
          },
        },
      },
      async teardown() {
        bare.kill()
        await crib.close()
        remove()
      },
    }
  },
}
