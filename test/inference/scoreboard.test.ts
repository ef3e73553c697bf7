// docs/scoreboard.md says what reading code tells of the corpus now; `npm run scoreboard` writes the whole page anew.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from '../docs/pages.ts'
import { inferenceSection, learnedSection, scoreboardPage } from './scoreboard-page.ts'

const page = join(repository, 'docs/scoreboard.md')

it('the scoreboard has the figures of inference as they are (else: npm run scoreboard)', async () => {
  if (process.env['UPDATE_SCOREBOARD']) writeFileSync(page, await scoreboardPage())
  expect(readFileSync(page, 'utf8')).toContain(inferenceSection())
  expect(readFileSync(page, 'utf8')).toContain(learnedSection())
})
