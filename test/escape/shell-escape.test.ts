// Hostile shell commands behind the fence: every way out is tried for real, and the wall that stops it is named.

import { join } from 'node:path'
import { hasFence } from '../helpers/fenced.ts'
import { proves } from '../helpers/proves.ts'
import { has } from '../helpers/system-parts.ts'
import { readShellResults, shellCases, shellDriver, writeShellCases } from './shell-cases.ts'
import { tryCases } from './try-cases.ts'

tryCases({
  name: 'shell',
  cases: shellCases,
  skip: !hasFence || !has('curl') || !has('perl'),
  cite: () => proves('escape-corpus', 'proc-links'),
  async attempt(grounds) {
    const { crib } = grounds
    writeShellCases(grounds)
    const ended = await crib.run(
      crib.shell(shellDriver, { HOME: '/home/tool', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }),
      { write: [join(crib.project, 'out')] },
      { timeoutMs: 200_000 },
    )
    return { results: readShellResults(ended.stdout.text), output: ended.stdout.text + ended.stderr.text }
  },
})
