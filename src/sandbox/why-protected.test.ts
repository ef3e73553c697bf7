import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { defaultConfig } from '../config/config.ts'
import { spacesOf } from '../config/spaces.ts'
import { formats } from '../formats/registry.ts'
import { ProtectedSet } from '../trust/protected-set.ts'
import { whyProtected } from './why-protected.ts'

const spaces = spacesOf('/crib', { HOME: '/home/u' })
const set = new ProtectedSet({ config: defaultConfig, spaces, tools: [], formats })
const why = (path: string, write: string[], isReplaced = false) =>
  whyProtected({ path, isReplaced }, { write }, set)?.path

describe('a protected path', () => {
  it('is not opened by a grant of everything around it', () => {
    verifies('G6')
    expect(why('/crib/skills/x/SKILL.md', ['/crib'])).toBe('/crib/skills')
    expect(why('/crib/out/.vscode/tasks.json', ['/crib', '/crib/out'])).toBe('/crib/out/.vscode')
  })

  it('is opened by a grant that names it or a part of it', () => {
    verifies('G6')
    expect(why('/crib/skills/x/SKILL.md', ['/crib', '/crib/skills'])).toBeUndefined()
    expect(why('/crib/skills/x/SKILL.md', ['/crib', '/crib/skills/x'])).toBeUndefined()
    expect(why('/crib/skills/y/SKILL.md', ['/crib', '/crib/skills/x'])).toBe('/crib/skills')
    expect(why('/crib/out/.vscode/tasks.json', ['/crib/out/.vscode'])).toBeUndefined()
  })

  it('stays closed where it says what tools may do, whatever is granted', () => {
    verifies('G6')
    expect(why('/crib/toolcrib.yaml', ['/crib/toolcrib.yaml'])).toBe('/crib/toolcrib.yaml')
  })

  it('goes with the folder that holds it', () => {
    expect(why('/crib/.ai', ['/crib'])).toBeUndefined()
    expect(why('/crib/.ai', ['/crib'], true)).toMatch(/^\/crib\/\.ai\//)
  })
})
