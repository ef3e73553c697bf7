// `toolcrib list` on a terminal: one line for each tool, as wide as the terminal at most.
import { expect, it } from 'vitest'
import { textWidth } from '../../src/surfaces/cli/text-width.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { terminal } from '../helpers/terminal.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

it('cuts long descriptions to the width of the terminal, and nothing into a pipe', async () => {
  verifies('D20')
  const long = {
    latin: 'word '.repeat(40).trim(),
    wide: '日本語'.repeat(30),
    tabs: 'a\tb\t'.repeat(30).trim(),
  }
  const files = Object.entries(long).map(([name, description]) => [
    `skills/${name}/SKILL.md`,
    `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\nDo it.\n`,
  ])
  const cwd = tempFolder({ 'toolcrib.yaml': 'system: false\n', ...Object.fromEntries(files) })
  const shown = terminal(['list', '--all', '--format', 'skill'], cwd)
  expect(await shown.ended).toBe(0)
  const lines = shown.screen().filter((line) => /^(?:latin|wide|tabs) /.test(line))
  expect(lines).toHaveLength(3)
  for (const line of lines) {
    expect(line).toMatch(/^\S+ .*…$/)
    expect(line).not.toContain('\t')
    expect([79, 80]).toContain(textWidth(line))
  }
  const piped = await toolcrib(['list', '--all', '--format', 'skill'], { cwd })
  expect(piped.stdout).toContain(long.latin)
  expect(piped.stdout).toContain(long.wide)
}, 60_000)
