import { expect, it } from 'vitest'
import { agentSkillsProblems } from './agent-skills-spec.ts'

const codes = (text: string, file = '/crib/skills/guide/SKILL.md') =>
  agentSkillsProblems(file, text).map(({ code, line }) => `${code}:${line}`)

it('finds nothing in a skill of the standard', () => {
  expect(
    codes(
      '---\nname: guide\ndescription: Guides.\nlicense: MIT\ncompatibility: git\nmetadata: { author: ada }\nallowed-tools: Bash(git:*) Read\n---\nText.\n',
    ),
  ).toEqual([])
})

it.each([
  ['no frontmatter', 'Text.', 'agentskills-file:1'],
  ['a block that is no YAML', '---\nname: [guide\n---\n', 'agentskills-file:2'],
  ['no name', '---\ndescription: d\n---\n', 'agentskills-name:1'],
  ['a name in capitals', '---\nname: Guide\ndescription: d\n---\n', 'agentskills-name:2'],
  ['two hyphens', '---\nname: gui--de\ndescription: d\n---\n', 'agentskills-name:2'],
  ['the name of another folder', '---\nname: other\ndescription: d\n---\n', 'agentskills-name:2'],
  ['no description', '---\nname: guide\ndescription: " "\n---\n', 'agentskills-description:3'],
  [
    'a long description',
    `---\nname: guide\ndescription: ${'d'.repeat(1025)}\n---\n`,
    'agentskills-description:3',
  ],
  [
    'a licence that is no text',
    '---\nname: guide\ndescription: d\nlicense: [MIT]\n---\n',
    'agentskills-license:4',
  ],
  [
    'an empty compatibility',
    '---\nname: guide\ndescription: d\ncompatibility: ""\n---\n',
    'agentskills-compatibility:4',
  ],
  [
    'nested metadata',
    '---\nname: guide\ndescription: d\nmetadata: { tags: [a] }\n---\n',
    'agentskills-metadata:4',
  ],
  [
    'a list of tools',
    '---\nname: guide\ndescription: d\nallowed-tools: [Read]\n---\n',
    'agentskills-allowed-tools:4',
  ],
  ['a field of its own', '---\nname: guide\ndescription: d\nversion: "1"\n---\n', 'agentskills-field:4'],
])('reports %s', (_, text, code) => {
  expect(codes(text)).toEqual([code])
})

it('advises against a long text without failing it', () => {
  const [problem] = agentSkillsProblems(
    '/crib/skills/guide/SKILL.md',
    `---\nname: guide\ndescription: d\n---\n${'line\n'.repeat(501)}`,
  )
  expect(problem?.severity).toBe('warning')
})
