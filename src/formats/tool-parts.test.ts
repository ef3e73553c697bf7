import { expect, it } from 'vitest'
import { makeTool } from '../tool/tool.ts'
import { formats } from './registry.ts'
import { partsOf, type ToolParts } from './tool-parts.ts'

it.each(formats)('answers for the parts of a $name tool as its format does', (format) => {
  const tool = makeTool({ id: 'a', format: format.name, tier: 'project', source: { file: null, digest: '' } })
  const parts = partsOf(tool)
  for (const question of ['files', 'home', 'enclosure', 'hosts'] satisfies (keyof ToolParts)[])
    expect(parts[question], question).toBe(format[question])
  if (format.programs) expect(parts.programs).toBe(format.programs)
})

it('takes the programs of a tool of a plugin from the tool', () => {
  const source = { file: null, digest: '' }
  const tool = makeTool({
    id: 'a',
    format: 'letter',
    tier: 'project',
    source,
    details: { programs: ['git'] },
  })
  expect(partsOf(tool).programs?.(tool)).toEqual(['git'])
})
