import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { probeCgroups } from './find-cgroups.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cgroups-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function proc(cgroup: string, mountinfo: string): string {
  writeFileSync(join(root, 'cgroup'), cgroup)
  writeFileSync(join(root, 'mountinfo'), mountinfo)
  return root
}

it('says so where no control groups are mounted', () => {
  expect(probeCgroups(proc('0::/\n', '22 1 0:20 / /proc rw - proc proc rw\n')).reason).toBe(
    'no control group is writable for this user',
  )
})

it('says so where /proc tells nothing', () => {
  expect(probeCgroups(join(root, 'none')).reason).toMatch(/^control groups cannot be read/)
})

it('uses no folder that hands no controllers down, and leaves nothing in it', () => {
  const tree = join(root, 'tree')
  mkdirSync(join(tree, 'user.slice'), { recursive: true })
  writeFileSync(join(tree, 'cgroup.subtree_control'), '')
  writeFileSync(join(tree, 'user.slice', 'cgroup.subtree_control'), '')
  const found = probeCgroups(proc('0::/user.slice\n', `30 1 0:26 / ${tree} rw - cgroup2 cgroup2 rw\n`))
  expect(found.found).toBeUndefined()
  expect(readdirSync(join(tree, 'user.slice'))).toEqual(['cgroup.subtree_control'])
})

it('does not count an ordinary folder as a control group', () => {
  const tree = join(root, 'tree')
  mkdirSync(join(tree, 'own'), { recursive: true })
  writeFileSync(join(tree, 'cgroup.subtree_control'), 'memory pids')
  writeFileSync(join(tree, 'cgroup.procs'), '')
  const found = probeCgroups(
    proc(
      '4:memory:/own\n0::/own\n',
      `30 1 0:26 / ${tree} rw - cgroup2 cgroup2 rw\n31 1 0:27 / ${tree} rw - cgroup cgroup rw,memory\n`,
    ),
  )
  expect(found).toEqual({ reason: 'no control group is writable for this user' })
  expect(readdirSync(tree).sort()).toEqual(['cgroup.procs', 'cgroup.subtree_control', 'own'])
})
