// What `toolcrib new tool-code` writes.
import { type Files, fillTemplates, namesOf, type Starter } from '../starter.ts'

export const starter: Starter = {
  about: 'TypeScript in a JSON document, for the Deno sandbox',
  languages: ['json'],
  sampleId: 'word_count',
  refOf: (id) => namesOf(id).snake,
  maxRefLength: 64,
}

export function template(id: string): Files {
  return fillTemplates(id, { [`crumbs/${namesOf(id).snake}.json`]: 'tool-code.json' })
}
