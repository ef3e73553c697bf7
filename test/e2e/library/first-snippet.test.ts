// The first snippet a reader copies, run by the Node that runs the tests.
import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { tempFolder } from '../../helpers/temp-folder.ts'
import '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'

const repo = fileURLToPath(new URL('../../../', import.meta.url))

it.each(['README.md', 'docs/embedding.md'])('the first snippet of %s runs as it stands in a .mjs', (page) => {
  verifies('D13')
  const [, snippet] =
    /```(?:ts|js file=app\.mjs)\n([\s\S]*?)```/.exec(readFileSync(join(repo, page), 'utf8')) ?? []
  expect(snippet).toContain('openCrib')
  const root = tempFolder({ 'app.mjs': snippet!, 'README.md': '# Hello\n', 'node_modules/.keep': '' })
  symlinkSync(repo, join(root, 'node_modules/toolcrib'))
  const env = { PATH: process.env['PATH'], HOME: root }
  const printed = execFileSync(process.execPath, ['app.mjs'], { cwd: root, env, encoding: 'utf8' })
  expect(printed).toContain('success: true')
})
