// What `toolcrib new skill` writes.
import { type Files, fillTemplates, namesOf, type Starter } from '../starter.ts'

export const starter: Starter = {
  about: 'a function inside Toolcrib, or a prompt for a model',
  languages: ['js', 'ts', 'md'],
  sampleId: 'word-count',
  refOf: (id) => namesOf(id).kebab,
  maxRefLength: 64,
}

export function template(id: string, language = 'js'): Files {
  const path = `skills/${namesOf(id).kebab}.skill`
  return fillTemplates(id, {
    [`${path}.${language}`]: `skill.${language}`,
    [`${path}.examples.yaml`]: language === 'md' ? 'skill-md.examples' : 'skill.examples',
  })
}
