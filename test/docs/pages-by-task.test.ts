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
  'rye',
  'skill',
  'tools-json',
  'tool-code',
  'getting-started',
  'configuration',
  'extending',
]

it.each(byTask)('docs/%s.md begins with a command and its output', (name) => {
  verifies('D22')
  const page = `docs/${name}.md`
  expect(readPage('README.md')).toContain(`(${page})`)
  const [first] = codeBlocks(readPage(page))
  expect(first).toMatchObject({ language: 'console', isInHead: true })
  expect(stepsOf(first!.text).filter(({ output }) => output !== '')).not.toEqual([])
})
