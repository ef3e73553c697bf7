// What `toolcrib new openapi` writes: the description of a small API.
import { type Files, fillTemplates, namesOf, type Starter } from '../starter.ts'

export const starter: Starter = {
  about: 'operations of an HTTP API, described in OpenAPI',
  languages: ['yaml'],
  sampleId: 'petstore',
  refOf: (id) => `${namesOf(id).kebab}/getItem`,
  maxRefLength: 128,
}

export function template(id: string): Files {
  const file = `${namesOf(id).kebab}.openapi`
  return fillTemplates(id, {
    [`${file}.yaml`]: 'openapi.yaml',
    [`${file}.examples.yaml`]: 'openapi.examples',
  })
}
