// What a model is told of the skills: all their texts, or a list and how to ask for one.
import { readFileSync } from 'node:fs'
import type { SkillFacts } from './facts.ts'
import { skillBody } from './read-skill-tool.ts'

/** The text for a model's context; empty without an available skill. */
export function skillContext(
  skills: readonly SkillFacts[],
  mode: 'full' | 'readOnDemand',
  read: (file: string) => string = (file) => readFileSync(file, 'utf8'),
): string {
  const available = skills.filter((skill) => skill.state === 'available')
  if (available.length === 0) return ''
  if (mode === 'readOnDemand') {
    const lines = available.map(
      (skill) => `- ${skill.id}: ${oneLine(skill.description) || '(no description)'}`,
    )
    return [
      '# Skills',
      'Call `read_skill` with the name of a skill before you use it.',
      lines.join('\n'),
    ].join('\n\n')
  }
  const blocks = available.flatMap((skill) => [
    `## Skill ${skill.id}`,
    skill.description.trim(),
    skillBody(read(`${skill.dir}/SKILL.md`)).trim(),
  ])
  return ['# Skills', ...blocks.filter((block) => block !== '')].join('\n\n')
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
