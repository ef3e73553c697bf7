import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { plant } from '../../../test/helpers/trees.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { isInside } from '../../files/is-inside.ts'
import type { Change, EntryState } from './change-set.ts'
import { type ChangeRules, faultError, judgeChanges } from './judge-changes.ts'

const project = realpathSync(mkdtempSync(join(tmpdir(), 'judge-')))
afterAll(() => rmSync(project, { recursive: true }))
plant(project, { 'd/e/x': 'x', up: '-> ..', root: '-> .', nowhere: '-> /no/such/place' })

const rules: ChangeRules = {
  project,
  mayWrite: (path) => !isInside(path, join(project, 'closed')),
  isProtected: (path) => (isInside(path, join(project, '.git')) ? 'it is of git' : undefined),
  limits: { files: 3, bytes: 100 },
}

function made(path: string, after: Partial<EntryState> = {}): Change {
  const state: EntryState = { type: 'file', mode: 0o644, size: 1, ...after }
  return { kind: 'created', path, after: state, isText: false, added: 0, removed: 0 }
}

function judged(...changes: Change[]) {
  return judgeChanges({ changes }, rules).map(({ code, paths }) => [code, ...paths])
}

describe('a change set', () => {
  it('may be committed when nothing is wrong', () => {
    expect(judged(made('a'), made('d/b'), made('l', { type: 'link', target: 'd/../a'.slice(0, 1) }))).toEqual(
      [],
    )
  })

  it('stays in the write areas, also with what it moved away', () => {
    verifies('E7')
    const moved = { ...made('b'), kind: 'moved', from: 'closed/b', before: made('b').after! } as const
    expect(judged(made('closed/a'), moved)).toEqual([['PATH_OUTSIDE', 'closed/a', 'closed/b']])
  })

  it('changes nothing protected, and says why', () => {
    verifies('E7')
    expect(judgeChanges({ changes: [made('.git/hooks/x')] }, rules)).toEqual([
      {
        code: 'CAPABILITY_DENIED',
        message: 'The run changed what is protected (it is of git).',
        paths: ['.git/hooks/x'],
      },
    ])
  })

  it.each([
    ['/etc/passwd', 'l'],
    ['..', 'l'],
    ['../../x', 'd/l'],
    ['d/../../x', 'l'],
    // Textually inside, but `root` leads to the project itself and `..` from there out of it.
    ['d/e/root/../x', 'l'],
    ['up/x', 'l'],
    ['nowhere/x', 'l'],
  ])('makes no link to %s', (target, path) => {
    verifies('E7')
    expect(judged(made(path, { type: 'link', target }))).toEqual([['PATH_OUTSIDE', path]])
  })

  it.each(['d/e', './d', '../d/e/x', 'missing', `${project}/d`])('may make a link to %s', (target) => {
    expect(judged(made('d/l', { type: 'link', target }))).toEqual([])
  })

  it('makes no device and no program that changes its user', () => {
    verifies('E7')
    expect(judged(made('pipe', { type: 'other' }), made('root', { mode: 0o4755 }))).toEqual([
      ['CAPABILITY_DENIED', 'pipe'],
      ['CAPABILITY_DENIED', 'root'],
    ])
  })

  it('is bounded in files and bytes', () => {
    verifies('E7')
    expect(judged(made('a'), made('b'), made('c'), made('d/z'))).toEqual([['OUTPUT_TOO_LARGE']])
    expect(judged(made('a', { size: 101 }))).toEqual([['OUTPUT_TOO_LARGE']])
    expect(judged(made('a'), made('b'), made('d'), made('d/e', { type: 'folder' }))).toEqual([])
    expect(judgeChanges({ changes: [], exceeded: 'files' }, rules)).toHaveLength(1)
  })

  it('is refused with an error that names the paths', () => {
    const [first, ...rest] = judgeChanges(
      { changes: [made('closed/a'), made('pipe', { type: 'other' })] },
      rules,
    )
    const error = faultError([first!, ...rest])
    expect(error).toMatchObject({ code: 'PATH_OUTSIDE' })
    expect(error.message).toBe(
      'The run changed what lies in no write area: "closed/a". The run made a device, a socket or a pipe: "pipe". Nothing was committed.',
    )
    expect(error.details).toMatchObject({ faults: [{ paths: ['closed/a'] }, { paths: ['pipe'] }] })
  })
})
