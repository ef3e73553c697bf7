// What a skill behind the fence imports is what was checked: swaps made after the checks, before the import.
import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { writeFiles } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'
import { cribOf } from './crib-of.ts'

const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 10 })

const head = '/*---\nname: say\ndescription: says a word\n---*/\n'
const main = `${head}import { existsSync, writeFileSync } from 'node:fs'
writeFileSync('out/started', '')
while (!existsSync('out/go')) await new Promise((done) => setTimeout(done, 10))
const { word } = await import('./say/words.js')
export default () => word
`
const evil = `export const word = 'evil'\n`

async function signed(files: { readonly [path: string]: string }, names: readonly string[]) {
  const opened = await cribOf(files, {
    trust: 'require',
    skills: { host: 'never' },
    // The skill and the test talk by files while it is imported.
    effects: { default: 'direct' },
  })
  const env = { HOME: opened.home, XDG_CONFIG_HOME: join(opened.home, '.config') }
  await toolcrib(['keys', 'new', '--owner', 'Ada'], { cwd: opened.root, env })
  expect(await toolcrib(['sign', ...names], { cwd: opened.root, env })).toMatchObject({ code: 0 })
  await opened.crib.reload()
  return opened
}

/** Calls the skill, with `swap` done after it was checked and before it imports its module: its value, or the code. */
async function between(swap: (root: string) => void): Promise<unknown> {
  const { crib, root } = await signed(
    {
      'skills/say.skill.js': main,
      'skills/say/words.js': `export const word = 'good'\n`,
      'out/.keep': '',
    },
    ['skills/say.skill.js', 'skills/say/words.js'],
  )
  const call = crib.call('say', {})
  await soon(() => expect(existsSync(join(root, 'out/started'))).toBe(true))
  swap(root)
  writeFileSync(join(root, 'out/go'), '')
  const outcome = await call
  return outcome.ok ? outcome.value : outcome.error.code
}

describe('a module of a signed skill behind the fence', () => {
  it('runs untouched', async () => {
    expect(await between(() => {})).toBe('good')
  })

  const swaps: [string, (root: string) => void][] = [
    ['with other bytes', (root) => writeFileSync(join(root, 'skills/say/words.js'), evil)],
    [
      'swapped for a link',
      (root) => {
        writeFiles(root, { 'out/elsewhere.js': evil })
        rmSync(join(root, 'skills/say/words.js'))
        symlinkSync(join(root, 'out/elsewhere.js'), join(root, 'skills/say/words.js'))
      },
    ],
    [
      'in a folder swapped for a link',
      (root) => {
        writeFiles(root, { 'out/say/words.js': evil })
        renameSync(join(root, 'skills/say'), join(root, 'kept'))
        symlinkSync(join(root, 'out/say'), join(root, 'skills/say'))
      },
    ],
  ]
  it.each(swaps)('%s between check and import does not run', async (_, swap) => {
    verifies('S18', 'G13')
    expect(await between(swap)).toBe('TRUST_TAMPERED')
  })

  it.each([
    ['by its name', `import { word } from './extra.js'`],
    [
      'by a name that is worked out',
      `const name = ['extra', 'js'].join('.')\nconst { word } = await import('./' + name)`,
    ],
  ])('that nobody signed does not run, imported %s', async (_, line) => {
    verifies('S18', 'G13')
    const crib = await signed(
      { 'skills/say.skill.js': `${head}${line}\nexport default () => word\n`, 'skills/extra.js': evil },
      ['skills/say.skill.js'],
    )
    expect(await crib.crib.call('say', {})).toMatchObject({ ok: false, error: { code: 'TRUST_TAMPERED' } })
  })
})
