// What was checked is what runs, for code that is imported into this process: files that change after the guards of a
// call looked at them are judged again, by the very bytes that are about to run.
import { existsSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Crib } from '../../../src/crib/crib.ts'
import { lockCrib } from '../../../src/surfaces/trust/lock-crib.ts'
import { toolcrib } from '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'
import { cribOf } from '../../security/crib-of.ts'
import { code } from './skill-crib.ts'

const files = {
  'skills/say.skill.js': `import { word } from './words.js'\n${code({ params: { type: 'object' }, between: null }, 'return word')}`,
  'skills/words.js': `export const word = 'good'\n`,
  // Runs after trust and lock were asked and before the module is imported.
  'skills/between.skill.js': code({ role: 'middleware' }, 'ctx.globals.between()'),
}

interface Held {
  readonly crib: Crib
  readonly root: string
  /** Calls `say`, with `between` done in the middle; gives back its value or the code of its error. */
  call(between: () => void): Promise<unknown>
}

async function held(by: 'signature' | 'lock', config: object = {}): Promise<Held> {
  const { crib, root, home } = await cribOf(files, {
    trust: by === 'signature' ? 'require' : 'off',
    ...config,
  })
  if (by === 'lock') await lockCrib(crib, { programs: false })
  else {
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }
    await toolcrib(['keys', 'new', '--owner', 'Ada'], { cwd: root, env })
    expect(await toolcrib(['sign', ...Object.keys(files)], { cwd: root, env })).toMatchObject({ code: 0 })
    await crib.reload()
  }
  return {
    crib,
    root,
    async call(between) {
      crib.globals['between'] = vi.fn(between)
      const outcome = await crib.call('say', {})
      expect(crib.globals['between']).toHaveBeenCalledOnce()
      return outcome.ok ? outcome.value : outcome.error.code
    },
  }
}

const evil = (root: string) =>
  `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(join(root, 'evil'))}, '')\nexport const word = 'evil'\nexport default () => word\n`

describe.each(['signature', 'lock'] as const)('between check and import, held by its %s', (by) => {
  const refusal = by === 'signature' ? 'TRUST_UNSIGNED' : 'TRUST_DRIFT'

  it('a skill that nobody touches runs', async () => {
    const { call } = await held(by)
    expect(await call(() => {})).toBe('good')
  })

  it.each(['skills/say.skill.js', 'skills/words.js'])('%s with other bytes does not run', async (file) => {
    verifies('S18')
    const { root, call } = await held(by)
    expect(await call(() => writeFileSync(join(root, file), evil(root)))).toBe(refusal)
    expect(existsSync(join(root, 'evil'))).toBe(false)
  })

  it.each(['skills/say.skill.js', 'skills/words.js'])('%s swapped for a link does not run', async (file) => {
    verifies('S18')
    const { root, call } = await held(by)
    writeFileSync(join(root, 'elsewhere.js'), evil(root))
    const swap = () => {
      renameSync(join(root, file), join(root, 'kept.js'))
      symlinkSync(join(root, 'elsewhere.js'), join(root, file))
    }
    expect(await call(swap)).toBe(refusal)
    expect(existsSync(join(root, 'evil'))).toBe(false)
  })

  it('runs after a person approved it', async () => {
    const { crib, call } = await held(by, { approve: ['say'] })
    onTestFinished(crib.approvals.attend())
    crib.approvals.on('requested', ({ id }) => crib.approvals.decide(id, { decision: 'approve', by: 'Ada' }))
    expect(await call(() => {})).toBe('good')
  })
})

it('a skill with computed frontmatter that is signed is known in full where trust is required', async () => {
  verifies('S17')
  const text = `const words = ['Says', 'it'].join(' ')\nexport const frontmatter = { description: words }\nexport default () => words\n`
  const { crib, root, home } = await cribOf({ 'skills/say.skill.js': text }, { trust: 'require' })
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }
  await toolcrib(['keys', 'new', '--owner', 'Ada'], { cwd: root, env })
  await toolcrib(['sign', 'skills/say.skill.js'], { cwd: root, env })
  await crib.reload()
  expect(await crib.resolve('say', { load: 'full' })).toMatchObject({ description: 'Says it' })
})
