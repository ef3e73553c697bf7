// Pages by task: each is there, the README leads to it, and it begins with what one types and sees.
import { expect, it } from 'vitest'
import { verifies } from '../helpers/verifies.ts'
import { codeBlocks, stepsOf } from './code-blocks.ts'
import { readPage } from './pages.ts'

const byTask = [
  'scripts',
  'gateway',
  'apis',
  'agents',
  'automation',
  'embedding',
  'capabilities',
  'undo-and-review',
  'team',
  'troubleshooting',
  'mcp',
  'openapi',
]

it.each(byTask)('docs/%s.md begins with a command and its output', (name) => {
  verifies('D22')
  const page = `docs/${name}.md`
  expect(readPage('README.md')).toContain(`(${page})`)
  const text = readPage(page)
  // A file that the command is about may stand before it.
  const head = text.split(/^## /m).slice(0, 2).join('')
  const shown = codeBlocks(head).filter(({ language }) => language === 'console')
  expect(shown.flatMap((block) => stepsOf(block.text)).filter(({ output }) => output !== '')).not.toEqual([])
})
