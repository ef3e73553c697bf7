import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { errorForModel } from '../../formats/tools-json/definitions.ts'
import { skillsForModel } from './skills-for-model.ts'

let crib: Crib | undefined
afterEach(() => crib?.close())

function skill(root: string, id: string, ...tools: string[]): void {
  const folder = join(root, 'skills', id)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${id}\ndescription: about ${id}\n---\nHow to ${id}.\n`)
  const descriptor = {
    tools: tools.map((name) => ({ name, description: `does ${name}` })),
    allowlist: { false: [''] },
    execution: tools.map((tool) => ({ tool, binary: 'false', subcommand: '', args: [] })),
  }
  writeFileSync(join(folder, 'tools.json'), JSON.stringify(descriptor))
}

async function open(contextMode: 'full' | 'readOnDemand', extra: (root: string) => void = () => {}) {
  const root = tempFolder()
  skill(root, 'zoo', 'z_last', 'a_first')
  skill(root, 'ant', 'm_middle')
  extra(root)
  crib = await openCrib({ root, env: { HOME: root }, config: { skills: { contextMode } } })
  return crib
}

const names = (of: Crib) => skillsForModel(of).definitions.map((each) => each.function.name)

it('gives definitions in the order of skills and files, and the texts of the skills', async () => {
  verifies('T50', 'T52')
  const { context, definitions } = skillsForModel(await open('full'))
  expect(definitions.map((each) => each.function.name)).toEqual(['m_middle', 'z_last', 'a_first'])
  expect(definitions[0]).toEqual({
    type: 'function',
    function: {
      name: 'm_middle',
      description: 'does m_middle',
      parameters: { type: 'object', properties: {} },
    },
  })
  expect(context).toBe(
    '# Skills\n\n## Skill ant\n\nabout ant\n\nHow to ant.\n\n## Skill zoo\n\nabout zoo\n\nHow to zoo.',
  )
})

it('gives a list and read_skill first where skills are read on demand', async () => {
  verifies('T51', 'T52')
  const own = (root: string) => skill(root, 'own', 'read_skill')
  const asked = await open('readOnDemand', own)
  expect(names(asked)).toEqual(['read_skill', 'm_middle', 'z_last', 'a_first'])
  expect(skillsForModel(asked).context).toContain('- ant: about ant\n- own: about own\n- zoo: about zoo')
  expect(await asked.call('read_skill', { skill_name: 'zoo' })).toMatchObject({ value: 'How to zoo.\n' })
  await asked.close()
  expect(names(await open('full', own))).toEqual(['m_middle', 'read_skill', 'z_last', 'a_first'])
})

it('tells a model of a failure in one line', async () => {
  verifies('T48')
  const outcome = await (await open('full')).call('m_middle', {})
  expect(outcome.ok ? '' : errorForModel(outcome.error)).toBe(
    'error: COMMAND_FAILED: m_middle: false ended with exit code 1.',
  )
})
