// Questions on a real terminal: about a folder (G2), asked once, with a plain list, kept either way; and of `approve`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { has } from '../helpers/system-parts.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { terminal } from '../helpers/terminal.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const files = {
  'toolcrib.yaml': 'env: { expose: [SECRET] }\n',
  'skills/a/SKILL.md': '---\nname: a\ndescription: A\n---\nHi\n',
}

async function exposed(cwd: string, env: Record<string, string>): Promise<string[]> {
  const { json } = await toolcrib(['config', 'explain', '--json'], { cwd, env })
  return json.settings.find(({ key }: { key: string }) => key === 'env.expose').value
}

const question = 'Accept it? Only if you know this folder.'

it.skipIf(!has('script')).each([
  ['y', ['SECRET']],
  ['n', []],
  ['', []],
])('asks once and keeps the answer "%s"', async (answer, expected) => {
  verifies('G2')
  const cwd = tempFolder(files)
  const env = { HOME: tempFolder(), TOOLCRIB_TRUST_FOLDER: '' }
  const first = terminal(['list'], cwd, env)
  await first.waitFor(question)
  expect(first.screen().join('\n')).toContain('env.expose: tools see environment variables: SECRET')
  first.press(`${answer}\r`)
  expect(await first.ended).toBe(0)
  expect(await exposed(cwd, env)).toEqual(expected)
  const second = terminal(['list'], cwd, env)
  expect(await second.ended).toBe(0)
  expect(second.screen().join('\n')).not.toContain(question)
})

it.skipIf(!has('script'))('asks again about a part that changed, and shows which', async () => {
  verifies('G2')
  const cwd = tempFolder(files)
  const env = { HOME: tempFolder(), TOOLCRIB_TRUST_FOLDER: '' }
  await toolcrib(['trust'], { cwd, env })
  writeFileSync(join(cwd, 'toolcrib.yaml'), 'env: { expose: [SECRET, MORE] }\n')
  const asked = terminal(['list'], cwd, env)
  await asked.waitFor(question)
  expect(asked.screen().join('\n')).toContain('~ env.expose: tools see environment variables: SECRET, MORE')
  asked.press('n\r')
  await asked.ended
  expect(await exposed(cwd, env)).toEqual([])
})

it.skipIf(!has('script'))(
  'takes a closed input as no answer, for a folder and for approve',
  { timeout: 60_000 },
  async () => {
    const cwd = tempFolder(files)
    const env = { HOME: tempFolder(), TOOLCRIB_TRUST_FOLDER: '' }
    const folder = terminal(['list'], cwd, env)
    await folder.waitFor(question)
    folder.press('\u0004')
    expect(await folder.ended).toBe(0)
    expect(folder.screen().join('\n')).toContain('It does not count now.')
    await toolcrib(['lock'], { cwd })
    writeFileSync(join(cwd, 'skills/a/SKILL.md'), files['skills/a/SKILL.md'].replace('Hi', 'Ho'))
    const tool = terminal(['approve', 'a'], cwd)
    await tool.waitFor('Accept a as it is now? [y/N]')
    tool.press('\u0004')
    expect(await tool.ended).not.toBe(0)
    expect(tool.screen().join('\n')).toContain('a was not approved.')
  },
)
