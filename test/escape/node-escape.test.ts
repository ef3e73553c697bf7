// Hostile JavaScript in Node behind the fence: every way out is tried for real, and the wall that stops it is named.
import { hasFence } from '../helpers/fenced.ts'
import { proves } from '../helpers/proves.ts'
import { has } from '../helpers/system-parts.ts'
import { nodeCases, nodeDriver } from './node-cases.ts'
import { runDriver, tryCases } from './try-cases.ts'

tryCases({
  name: 'Node',
  cases: nodeCases,
  skip: !hasFence || !has('perl'),
  cite: () => proves('escape-corpus'),
  attempt: (grounds) =>
    runDriver(grounds, nodeCases, { file: process.execPath, args: ['-e', nodeDriver], reservedMb: 1024 }),
})
