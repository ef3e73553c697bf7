import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder, writeFiles } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { walk } from './walk.ts'

const paths = (dir: string, everythingUnder?: string) =>
  walk(dir, everythingUnder ? { everythingUnder } : {}).files.map((file) => file.path)

describe('walk', () => {
  it('lists files of interest in code-unit order, with size and time', () => {
    const dir = tempFolder({ 'b.py': 'x', 'B.md': 'xy', 'a/c.json': '{}', 'photo.png': '' })
    expect(paths(dir)).toEqual(['B.md', 'a/c.json', 'b.py'])
    expect(walk(dir).files[0]).toMatchObject({ size: 2, mtimeMs: expect.any(Number) })
  })

  it('takes every file below the tools folder', () => {
    expect(paths(tempFolder({ '.ai/tools/x.rb': '', 'y.rb': '' }), '.ai/tools/')).toEqual(['.ai/tools/x.rb'])
  })

  it.each(['node_modules', '.git', '.toolcrib', '__pycache__', '.venv', '.hidden'])(
    'never enters %s',
    (name) => {
      expect(paths(tempFolder({ [`${name}/x.py`]: '', 'y.py': '' }))).toEqual(['y.py'])
    },
  )

  it.each(['.ai', '.agents', '.claude'])('enters %s', (name) => {
    expect(paths(tempFolder({ [`${name}/x.py`]: '' }))).toEqual([`${name}/x.py`])
  })

  it('respects .gitignore and .toolcribignore, nested and negated', () => {
    const dir = tempFolder({
      '.gitignore': 'out/\n*.md\n!keep.md\n',
      'out/x.py': '',
      'a.md': '',
      'keep.md': '',
      'sub/.toolcribignore': 'y.py\n',
      'sub/y.py': '',
      'sub/z.py': '',
    })
    expect(paths(dir)).toEqual(['keep.md', 'sub/z.py'])
  })

  it('says what it left out and why', () => {
    const dir = tempFolder({ '.gitignore': 'a.py\n', 'a.py': '', 'node_modules/x.py': '' })
    const ignored: string[] = []
    walk(dir, { onIgnored: ({ path, by }) => ignored.push(`${path}: ${by.replace(dir, '')}`) })
    expect(ignored.sort()).toEqual([
      'a.py: /.gitignore leaves it out',
      'node_modules: folders named node_modules are never entered',
    ])
  })

  it('follows a link to a file once and tells its real path', () => {
    const outside = tempFolder({ 'real.py': 'x' })
    const dir = tempFolder()
    symlinkSync(join(outside, 'real.py'), join(dir, 'link.py'))
    expect(walk(dir).files).toMatchObject([{ path: 'link.py', realPath: join(outside, 'real.py') }])
  })

  it('reports link loops and goes on', () => {
    const dir = tempFolder({ 'a.py': '' })
    symlinkSync(dir, join(dir, 'self'))
    symlinkSync('circle.py', join(dir, 'circle.py'))
    symlinkSync('nowhere.py', join(dir, 'broken.py'))
    const walked = walk(dir)
    expect(walked.files.map((file) => file.path)).toEqual(['a.py'])
    expect(walked.problems.map((problem) => problem.code).sort()).toEqual([
      'symlink-broken',
      'symlink-loop',
      'symlink-loop',
    ])
  })

  it.skipIf(process.getuid?.() === 0)('reports a folder it may not list', () => {
    const dir = tempFolder({ 'a.py': '' })
    mkdirSync(join(dir, 'locked'))
    chmodSync(join(dir, 'locked'), 0)
    expect(walk(dir).problems).toMatchObject([{ code: 'folder-unreadable', file: join(dir, 'locked') }])
  })

  it('ends on a very deep tree', () => {
    const dir = tempFolder()
    writeFiles(dir, { [`${'d/'.repeat(70)}x.py`]: '' })
    expect(walk(dir).problems).toMatchObject([{ code: 'folder-too-deep' }])
  })
})

it('says of a folder with too many files which of its folders are the largest', () => {
  verifies('G5')
  const many = (dir: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${dir}/${n}.txt`, '']))
  const root = tempFolder({ ...many('data', 12), ...many('logs', 5), 'a.md': '' })
  expect(walk(root, { largeFrom: 10 }).problems).toEqual([
    expect.objectContaining({
      code: 'too-many-files',
      message: expect.stringMatching(/18 files, more than 10; most lie in data \(12\), logs \(5\)/),
      hint: expect.stringContaining('`roots`'),
    }),
  ])
  expect(walk(root, { largeFrom: 18 }).problems).toEqual([])
})
