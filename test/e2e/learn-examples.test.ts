// Every tool of examples/ and of what ships that has examples runs them with exactly the grants that were learned from
// them, with the same outcomes, and with none to spare.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { sidecarExamples } from '../../src/surfaces/examples/sidecar-examples.ts'
import { callsOf, learnTool } from '../../src/surfaces/learn/learn-tool.ts'
import { makePrincipal } from '../../src/tool/principal.ts'
import { whyNoTrace } from '../helpers/has-strace.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { verifies } from '../helpers/verifies.ts'

/** What the scoreboard says of it; `npm run scoreboard` writes it anew. */
const kept = new URL('../inference/learned.json', import.meta.url)
const examples = fileURLToPath(new URL('../../examples', import.meta.url))

it.skipIf(whyNoTrace !== undefined)(
  'every tool with examples runs them with exactly its learned grants',
  async () => {
    verifies('L7')
    const root = tempFolder()
    cpSync(examples, root, { recursive: true, filter: (path) => !path.includes('/.toolcrib') })
    const options = { root, trustFolder: true, cache: false }
    const crib = await openCrib(options)
    onTestFinished(() => crib.close())
    const tools = crib
      .list({ all: true })
      .filter((tool) => tool.kind === 'callable' && tool.state !== 'shadowed')
      .filter((tool) => typeof tool.details?.skipExamples !== 'string')
      .filter((tool) => [...tool.examples, ...sidecarExamples(tool)].length > 0)
    expect(tools.length).toBeGreaterThan(7)
    const told: [string, string][] = []
    let calls = 0
    for (const tool of tools) {
      const own = callsOf(tool, { params: undefined, wantsExamples: true, approved: true })
      // An example may show that something is denied: what it has is right then.
      const showsDenial = own.some(({ example }) => example?.expectError === 'CAPABILITY_DENIED')
      const learned = await learnTool(crib, tool, {
        crib: options,
        calls: own,
        runs: 1,
        opened: [],
        isSensitiveWanted: false,
        verifies: true,
        mayOpen: !showsDenial,
        principal: makePrincipal({ surface: 'cli', name: 'tester', isAdmin: true }),
        signal: new AbortController().signal,
      })
      const { verified, proposal } = learned
      told.push([tool.id, proposal.grants.join(' ')])
      calls += learned.calls.length
      if (showsDenial && proposal.missing.length > 0)
        expect([tool.id, verified]).toEqual([tool.id, undefined])
      else expect([tool.id, verified?.ok, verified?.rows]).toEqual([tool.id, true, expect.anything()])
      expect([tool.id, learned.calls.filter(({ isAsExpected }) => !isAsExpected)]).toEqual([tool.id, []])
    }
    const figures = { tools: tools.length, calls, grants: Object.fromEntries(told) }
    if (process.env['UPDATE_SCOREBOARD']) writeFileSync(kept, `${JSON.stringify(figures, undefined, 2)}\n`)
    expect(figures).toEqual(JSON.parse(readFileSync(kept, 'utf8')))
  },
  300_000,
)
