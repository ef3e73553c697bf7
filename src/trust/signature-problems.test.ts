import { afterEach, expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../crib/open-crib.ts'

let crib: Crib | undefined
afterEach(() => crib?.close())

const body = `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
def execute(params, project_path):
    return {}
`

it('check reports a signature line that cannot be read, and one that stands too far down', async () => {
  verifies('R69', 'R71')
  const line = '# rye:signed:2026-01-01T00:00:00Z:abc:def:0123'
  const good = `# rye:signed:2026-01-01T00:00:00Z:${'a'.repeat(64)}:${'A'.repeat(86)}:${'0'.repeat(16)}`
  const root = tempFolder({
    '.ai/tools/bad.py': `${line}\n${body}`,
    '.ai/tools/low.py': `${body}${good}\n`,
    '.ai/tools/plain.py': body,
  })
  crib = await openCrib({ root, env: { HOME: root } })
  const { problems } = await crib.check()
  expect(problems.filter(({ code }) => code.startsWith('signature-'))).toMatchObject([
    {
      code: 'signature-malformed',
      severity: 'warning',
      line: 1,
      toolId: 'bad',
      hint: expect.stringContaining('sign bad'),
    },
    { code: 'signature-misplaced', severity: 'warning', line: 6, toolId: 'low' },
  ])
})
