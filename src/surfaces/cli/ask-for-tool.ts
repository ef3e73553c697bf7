// The questions of `toolcrib new` on a terminal.
import { cancel, intro, select, text } from '@clack/prompts'
import type { Format } from '../../formats/format.ts'
import { ToolError } from '../../tool/tool-error.ts'

const languageWords: { readonly [language: string]: string } = {
  py: 'Python',
  js: 'JavaScript',
  ts: 'TypeScript',
  sh: 'shell',
  yaml: 'YAML, no code',
  json: 'JSON',
  md: 'Markdown, run by a model',
}

interface Given {
  readonly format: string | undefined
  readonly id: string | undefined
  readonly language: string | undefined
}

/** Asks for what was not given. `check` throws for an id that cannot be one. */
export async function askForTool(
  formats: readonly Format[],
  given: Given,
  check: (id: string) => void,
): Promise<{ format: string; id: string; language: string | undefined }> {
  // A terminal that does not tell its size would get one letter a line.
  process.stdout.columns ||= 80
  process.stdout.rows ||= 24
  intro('A new tool')
  const format =
    given.format ??
    answered(
      await select({
        message: 'In which format?',
        options: formats.map(({ name, starter }) => ({
          value: name,
          label: name,
          hint: starter?.about ?? '',
        })),
      }),
    )
  const starter = formats.find(({ name }) => name === format)?.starter
  const choices = starter?.languages ?? []
  const language =
    given.language ??
    (choices.length > 1
      ? answered(
          await select({
            message: 'In which language?',
            options: choices.map((value) => ({ value, label: languageWords[value] ?? value })),
          }),
        )
      : undefined)
  const id = answered(
    await text({
      message: 'Under which id?',
      placeholder: starter?.sampleId ?? 'word-count',
      validate: (value) => {
        try {
          check(value ?? '')
          return undefined
        } catch (error) {
          const { message, hint } = error as { message: string; hint?: string }
          return `${message} ${hint ?? ''}`
        }
      },
    }),
  )
  return { format, id, language }
}

function answered(answer: string | symbol): string {
  if (typeof answer === 'string') return answer
  cancel('Nothing was written.')
  throw new ToolError('CANCELLED', 'No tool was made.')
}
