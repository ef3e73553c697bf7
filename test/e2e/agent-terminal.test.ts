// Agents and questions on a real terminal: what stands on the screen at the end is what a person should read.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { has } from '../helpers/system-parts.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { terminal } from '../helpers/terminal.ts'
import { verifies } from '../helpers/verifies.ts'
import { modelServer } from './skills/model-server.ts'

const add = `export const frontmatter = { name: 'add', metadata: { params: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' }, note: { type: 'string' } } } } }
export default (ctx, { a, b }) => a + b
`
const hasTerminal = has('script')
if (!hasTerminal) console.log('skipped: no terminal, because the program `script` (util-linux) is missing')
/** Past the second after which a status line is drawn, with time for several. */
const untilStatusLines = () => sleep(1_700)

describe.skipIf(!hasTerminal)('on a terminal', () => {
  it('an agent writes as its model does, asks before a tool runs, and no status line covers either', async () => {
    verifies('S80', 'S81')
    let release = () => {}
    const hold = new Promise<void>((resolve) => {
      release = resolve
    })
    const model = await modelServer([
      { text: 'I will add them.', calls: [{ name: 'add', args: { a: 2, b: 3 } }] },
      { text: 'The sum of 2 and 3\nis **5**.', hold },
    ])
    const settings = { models: model.models(), approve: ['add'], trust: 'off' }
    const cwd = tempFolder({ 'toolcrib.yaml': JSON.stringify(settings), 'skills/add.skill.js': add })
    const shown = terminal(['agent', 'What is 2 and 3?'], cwd)
    await shown.waitFor('Let add run')
    await untilStatusLines()
    expect(shown.screen().slice(2)).toEqual([
      '│',
      '◆  Let add run with {"a":2,"b":3}?',
      '│  ○ Yes / ● No',
      '└',
    ])
    shown.press('y')
    await shown.waitFor('The sum of')
    await untilStatusLines()
    expect(shown.screen().at(-1)).toMatch(/^The sum of/)
    release()
    expect(await shown.ended).toBe(0)
    expect(shown.screen()).toEqual([
      'I will add them.',
      'agent calls add',
      '│',
      '◇  Let add run with {"a":2,"b":3}?',
      '│  Yes',
      'Approved by ada',
      'The sum of 2 and 3',
      'is **5**.',
    ])
  }, 90_000)

  it.each([
    ['y', 0, '3'],
    ['n', 5, 'error: APPROVAL_DENIED: add was not approved by ada.'],
    ['\r', 5, 'error: APPROVAL_DENIED: add was not approved by ada.'],
    ['\u0003', 130, 'error: CANCELLED: The call was cancelled.'],
  ])(
    'a question answered with %j ends with exit code %i',
    async (keys, code, last) => {
      const cwd = tempFolder({ 'toolcrib.yaml': 'approve: [add]\ntrust: off\n', 'skills/add.skill.js': add })
      const shown = terminal(['run', 'add', '--a', '1', '--b', '2'], cwd)
      await shown.waitFor('● No')
      shown.press(keys)
      expect(await shown.ended).toBe(code)
      expect(shown.screen().at(-1)).toBe(last)
    },
    60_000,
  )

  it('parameters too long for a question stand above it, whole', async () => {
    const cwd = tempFolder({ 'toolcrib.yaml': 'approve: [add]\ntrust: off\n', 'skills/add.skill.js': add })
    const note = 'all of this is what a person must see before the answer is given'
    const shown = terminal(['run', 'add', '--a', '1', '--b', '2', '--note', note], cwd)
    await shown.waitFor('Let add run with these parameters?')
    expect(shown.screen()).toContain(`  "note": "${note}"`)
    shown.press('y')
    expect(await shown.ended).toBe(0)
  }, 60_000)
})
