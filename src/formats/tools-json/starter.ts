// What `toolcrib new tools-json` writes: a skill folder with one command.
import { type Files, fillTemplates, namesOf, type Starter } from '../starter.ts'

export const starter: Starter = {
  about: 'parameters mapped to an allowlisted command',
  languages: ['json'],
  sampleId: 'word-count',
  refOf: (id) => `${namesOf(id).snake}_search`,
  maxRefLength: 64,
}

export function template(id: string): Files {
  const folder = `skills/${namesOf(id).kebab}`
  return fillTemplates(id, {
    [`${folder}/SKILL.md`]: 'tools-json.SKILL.md',
    [`${folder}/tools.json`]: 'tools-json.tools.json',
    [`${folder}/tools.examples.yaml`]: 'tools-json.examples',
  })
}
