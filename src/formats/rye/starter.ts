// What `toolcrib new rye` writes.
import { type Files, fillTemplates, type Starter } from '../starter.ts'

export const starter: Starter = {
  about: 'a file under .ai/tools, in Python, JavaScript, TypeScript, shell or YAML',
  languages: ['py', 'js', 'ts', 'sh', 'yaml'],
  sampleId: 'text/count',
  refOf: (id) => id,
}

export function template(id: string, language = 'py'): Files {
  return fillTemplates(id, {
    [`.ai/tools/${id}.${language}`]: `rye.${language}`,
    [`.ai/tools/${id}.examples.yaml`]: language === 'yaml' ? 'rye-yaml.examples' : 'rye.examples',
  })
}
