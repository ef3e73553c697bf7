// A served crib with as many tools as the first argument says, offered as the second does. Tells its memory when asked.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCrib } from '../the-build.mjs'

const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
const crib = await openCrib({ root, env: { HOME: root } })
const params = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
}
crib.addTools([
  { id: 'add', description: 'Adds', params, fn: ({ a, b }) => ({ sum: a + b }) },
  ...Array.from({ length: Number(process.argv[2] ?? 1) - 1 }, (_, n) => ({
    id: `more/tool_${n}`,
    description: `Tool ${n}`,
    params,
    fn: () => n,
  })),
])
const served = await crib.serve({ port: 0, watch: false, expose: process.argv[3] })
process.on('message', async (message) => {
  if (message === 'memory') {
    for (let i = 0; i < 3; i++) {
      global.gc?.()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    process.send({ heapMb: process.memoryUsage().heapUsed / 1_048_576 })
  }
})
process.on('disconnect', async () => {
  await crib.close()
  rmSync(root, { recursive: true, force: true })
  process.exit(0)
})
process.send({ url: served.mcp, token: served.token })
