// The corpus of small tools that inference is measured by: hostile ones with what each must be accused of, harmless
// ones with all that they do. One text file for each language; a line `=== name | capabilities` begins a tool. Those of
// the folders `unseen` were written without looking at what the reader knows; first-seen.json has what it made of them
// then, before anything was changed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inferCode } from '../../src/trust/inference/infer-code.ts'

export type Nature = 'hostile' | 'harmless'

export interface CorpusCase {
  readonly nature: Nature
  readonly language: string
  readonly name: string
  /** Of a hostile one: what must be found. Of a harmless one: all that may be. */
  readonly expected: readonly string[]
  readonly code: string
}

const folder = join(import.meta.dirname, 'fixtures')
const languages = { py: 'Python', js: 'JavaScript', sh: 'shell' }

export function corpus(): CorpusCase[] {
  return ['.', 'unseen', 'unseen-2'].flatMap((part) =>
    (['hostile', 'harmless'] as const).flatMap((nature) =>
      Object.entries(languages).flatMap(([ending, language]) =>
        readFileSync(join(folder, part, `${nature}.${ending}.txt`), 'utf8')
          .split(/^=== /m)
          .slice(1)
          .map((text) => {
            const [head = '', ...lines] = text.split('\n')
            const [name = '', kinds = ''] = head.split(' | ')
            const expected = kinds.split(' ').filter((kind) => kind !== 'nothing')
            return { nature, language, name, expected, code: lines.join('\n') }
          }),
      ),
    ),
  )
}

const endings: { readonly [language: string]: string } = { Python: 'py', JavaScript: 'ts', shell: 'sh' }

/** What reading finds in a tool. */
function foundIn({ code, language }: CorpusCase): string[] {
  return [...new Set(inferCode(code, `tool.${endings[language]}`).map(({ capability }) => capability))]
}

/** What is wrong with the answer: not found, or accused beyond what it does; empty when it is right. */
export function faultsOf(one: CorpusCase): string[] {
  const found = foundIn(one)
  return one.nature === 'hostile'
    ? one.expected.filter((kind) => !found.includes(kind))
    : found.filter((kind) => !one.expected.includes(kind))
}
