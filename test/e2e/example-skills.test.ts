// The ready skills in examples/ do real work on a plain machine, behind the fence of this one.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { has } from '../helpers/system-parts.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'

const examples = fileURLToPath(new URL('../../examples', import.meta.url))

let root: string
let crib: Crib

beforeEach(async () => {
  root = tempFolder()
  for (const part of ['skills', 'notes', 'toolcrib.yaml'])
    cpSync(join(examples, part), join(root, part), { recursive: true })
  vi.stubEnv('HOME', join(root, 'home'))
  onTestFinished(() => void vi.unstubAllEnvs())
  crib = await openCrib({ root })
  onTestFinished(() => crib.close())
})

async function value(tool: string, params: object = {}): Promise<string> {
  const outcome = await crib.call(tool, params)
  if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`)
  return String(outcome.value)
}

const failure = async (tool: string, params: object) => {
  const outcome = await crib.call(tool, params)
  return outcome.ok ? 'none' : outcome.error.code
}

it('all example skills are free of problems', () => {
  expect(crib.problems.filter((problem) => problem.file?.startsWith(join(root, 'skills')))).toEqual([])
  const skills = new Set(crib.list({ format: 'tools-json' }).map((tool) => tool.details?.ofSkill))
  expect([...skills].sort()).toEqual(['files', 'git-commit', 'git-read', 'notes', 'text-search'])
})

describe.skipIf(!has('git'))('git', () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', root, ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: root },
    })

  beforeEach(() => {
    git('init', '-q', '-b', 'trunk')
    git('config', 'user.name', 'Ada')
    git('config', 'user.email', 'ada@example.com')
    writeFileSync(join(root, 'a.txt'), 'one\n')
    git('add', 'a.txt')
    git('commit', '-q', '-m', 'Begin')
  })

  it('reads status, history, differences, blame and tracked text', async () => {
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\n')
    expect(await value('git_status')).toMatch(/^## trunk\n M a\.txt\n/)
    expect(await value('git_log', { path: 'a.txt', author: 'Ada' })).toMatch(
      /^[0-9a-f]+\t\d{4}-\d\d-\d\d\tAda\tBegin$/,
    )
    expect(await value('git_log', { author: 'Nobody' })).toContain('hint: no commit matches')
    expect(await value('git_diff')).toContain('+two')
    expect(await value('git_diff', { staged: true })).toBe('')
    expect(await value('git_show')).toContain('+one')
    expect(await value('git_blame', { path: 'a.txt' })).toMatch(/Ada.* one/)
    expect(await value('git_branches')).toMatch(/^\* trunk /)
    expect(await value('git_grep', { text: 'one' })).toBe('a.txt:1:one\n')
    expect(await value('git_grep', { text: 'three' })).toContain('no tracked file contains three')
    expect(await failure('git_log', { ref: '--output=x' })).toBe('COMMAND_ARG_REFUSED')
  })

  it('reads a repository whose settings name programs without starting one', async () => {
    const trap = join(root, 'trap.sh')
    writeFileSync(trap, `#!/bin/sh\necho "$0" >> '${join(root, 'sprung')}'\ncat\n`, { mode: 0o755 })
    for (const name of [
      'core.fsmonitor',
      'core.pager',
      'diff.external',
      'diff.trap.textconv',
      'diff.trap.command',
    ])
      git('config', name, trap)
    git('config', 'gpg.program', trap)
    writeFileSync(join(root, '.gitattributes'), 'a.txt diff=trap\n')
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\n')
    for (const [tool, params] of [
      ['git_status'],
      ['git_log'],
      ['git_diff'],
      ['git_show'],
      ['git_blame', { path: 'a.txt' }],
      ['git_branches'],
      ['git_grep', { text: 'one' }],
    ] as const)
      await value(tool, params)
    expect(existsSync(join(root, 'sprung'))).toBe(false)
    // The trap works: without the options of the skill it is sprung.
    git('status')
    expect(existsSync(join(root, 'sprung'))).toBe(true)
  })

  it('stages and commits on a branch of its own', async () => {
    await value('git_switch', { branch: 'work', create: true })
    writeFileSync(join(root, 'b file.txt'), 'b\n')
    writeFileSync(join(root, 'c.txt'), 'c\n')
    await value('git_add', { paths: ['b file.txt', 'c.txt'] })
    await value('git_unstage', { paths: ['c.txt'] })
    expect(await value('git_diff', { staged: true })).toMatch(
      /^diff --git a\/b file\.txt b\/b file\.txt\n(?!.*c\.txt)/s,
    )
    await value('git_commit', { message: 'Add b\n\nBecause $(it) is "needed".\n' })
    expect(git('log', '-1', '--format=%B%an')).toBe('Add b\n\nBecause $(it) is "needed".\nAda\n')
    await value('git_switch', { branch: 'trunk' })
    expect(git('branch', '--show-current')).toBe('trunk\n')
  })

  it('works in a repository below the project', async () => {
    mkdirSync(join(root, 'inner'))
    execFileSync('git', ['init', '-q', join(root, 'inner')])
    expect(await value('git_status', { repo: 'inner' })).toMatch(/No commits yet/)
    expect(await failure('git_status', { repo: '..' })).toBe('COMMAND_ARG_REFUSED')
  })
})

describe('text-search', () => {
  it('finds lines, literally or by a regular expression', async () => {
    expect(await value('text_search', { text: 'milk', folder: 'notes' })).toBe(
      `${root}/notes/shopping.md:3:- milk\n`,
    )
    expect(
      await value('text_search', {
        text: 'M[a-z]+K',
        folder: 'notes',
        regex: true,
        ignore_case: true,
        files: '*.md',
      }),
    ).toContain('milk')
    expect(await value('text_search', { text: 'm[a-z]+k', folder: 'notes' })).toBe(
      '\n\nhint: nothing in notes contains m[a-z]+k',
    )
    expect(await value('text_search', { text: '-', folder: 'notes', context: 1 })).toContain('- bread')
  })

  it('finds files by name', async () => {
    expect(await value('files_find', { name: '*.md', folder: 'notes', depth: 1 })).toContain(
      `${root}/notes/shopping.md\n`,
    )
    expect(await failure('files_find', { name: '*', folder: '/etc' })).toBe('COMMAND_ARG_REFUSED')
  })
})

it('files: reads, writes, copies and moves inside the project only', async () => {
  await value('files_make_folder', { path: 'out/deep' })
  expect((await value('files_write', { path: 'out/a.txt', content: 'one\ntwo\n' })).trim()).toBe('8')
  await value('files_append', { path: 'out/a.txt', content: 'three' })
  expect(readFileSync(join(root, 'out/a.txt'), 'utf8')).toBe('one\ntwo\nthree')
  expect(await value('files_head', { path: 'out/a.txt', lines: 1 })).toBe('one\n')
  expect(await value('files_tail', { path: 'out/a.txt', lines: 1 })).toBe('three')
  await value('files_copy', { from: 'out/a.txt', to: 'out/deep/b.txt' })
  await value('files_move', { from: 'out/deep/b.txt', to: 'out/c.txt' })
  expect(await value('files_list', { path: 'out' })).toMatch(/a\.txt\n.*c\.txt\n.*deep/)
  await value('files_delete', { path: 'out/c.txt' })
  expect(await failure('files_delete', { path: 'out' })).toBe('COMMAND_FAILED')
  for (const path of ['/etc/passwd', '../x', '.toolcrib/token', 'toolcrib.yaml'])
    expect(await failure('files_write', { path, content: 'x' })).toBe('COMMAND_ARG_REFUSED')
})

it('notes: finds, reads and writes notes by name and by day', async () => {
  expect((await value('notes_list')).split('\n').sort()).toEqual(['', 'daily-plan.md', 'shopping.md'])
  expect(await value('notes_search', { text: 'MILK' })).toBe('shopping.md:3:- milk\n')
  expect(await value('notes_read', { name: 'Daily plan' })).toMatch(/^# Daily plan/)
  await value('notes_write', { name: 'New idea', text: '# Idea\n' })
  await value('notes_append', { name: 'new-idea.md', text: 'more\n' })
  expect(readFileSync(join(root, 'notes/new-idea.md'), 'utf8')).toBe('# Idea\nmore\n')
  writeFileSync(join(root, 'notes/2026-11-16.md'), 'that day\n')
  expect(await value('notes_daily', { day: '2026-11-16' })).toBe('that day\n')
  const today = execFileSync('date', ['+%Y-%m-%d'], { encoding: 'utf8' }).trim()
  writeFileSync(join(root, `notes/${today}.md`), 'today\n')
  expect(await value('notes_daily')).toBe('today\n')
  for (const name of ['../toolcrib.yaml', '.hidden', '/etc/passwd'])
    expect(await failure('notes_read', { name })).toBe('COMMAND_ARG_REFUSED')
})

it('the command line runs them, and their own examples pass', async () => {
  const options = { cwd: root, env: { PATH: process.env['PATH']! } }
  const ran = await toolcrib(['run', 'notes_search', '--text', 'bread', '--json'], options)
  expect(ran.json).toMatchObject({ ok: true, value: 'shopping.md:4:- bread\n' })
  const tested = await toolcrib(
    [
      'test',
      'text_search',
      'files_find',
      'files_read',
      'files_list',
      'files_write',
      'notes_list',
      'notes_search',
      'notes_read',
      '--json',
    ],
    options,
  )
  expect(tested.json).toMatchObject({ failed: 0, passed: 12 })
})
