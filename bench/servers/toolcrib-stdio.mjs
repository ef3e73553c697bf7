// A crib with one tool made in code, on stdio.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCrib } from '../the-build.mjs'

const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
const crib = await openCrib({ root, env: { HOME: root } })
crib.addTool({
  id: 'add',
  description: 'Adds',
  params: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  fn: ({ a, b }) => ({ sum: a + b }),
})
await (await crib.serveStdio()).ended
await crib.close()
rmSync(root, { recursive: true, force: true })
