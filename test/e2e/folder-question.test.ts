// The question about a folder (G2), on a real terminal: asked once, with a plain list, kept either way.
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
