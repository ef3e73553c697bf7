// The page docs/aisvs.md, made from test/aisvs.yaml.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { repository } from './pages.ts'

export type AisvsLine = readonly [id: string, state: 'held' | 'partly' | 'not', reason: string, test: string]

export function aisvsLines(): AisvsLine[] {
  const text = readFileSync(join(repository, 'test/aisvs.yaml'), 'utf8')
  return parse(text) as AisvsLine[]
}

export function aisvsPage(): string {
  const lines = aisvsLines()
  const count = (state: string) => lines.filter((line) => line[1] === state).length
  const rows = lines.map(
    ([id, state, reason, test]) =>
      `| ${id} | ${state} | ${reason} | ${test === '' ? '' : `[${test.split('/').at(-1)}](../${test})`} |`,
  )
  return [
    '# OWASP AISVS, chapters C9 and C10',
    '',
    `Of ${lines.length} lines ${count('held')} are held, ${count('partly')} partly, ${count('not')} not. This page is made from \`test/aisvs.yaml\`; the ids are those of the [standard](https://github.com/OWASP/AISVS), the words are ours.`,
    '',
    '| line | state | here | test |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
