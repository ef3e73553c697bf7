import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { changesBetween, plant, treeOf } from '../../../test/helpers/trees.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { layerContents } from './read-changes.ts'
import { unifiedDiff } from './unified-diff.ts'

let top: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'diff-')))
})
afterEach(() => rmSync(top, { recursive: true }))

function diffOf(
  before: Record<string, string | Buffer>,
  after: Record<string, string | Buffer>,
  lines?: number,
) {
  const [lower, upper] = [join(top, 'before'), join(top, 'after')]
  plant(lower, { ...before, '.': '/' })
  plant(upper, { ...after, '.': '/' })
  const contents = layerContents({ lower, upper })
  return unifiedDiff(changesBetween(lower, upper), contents, lines === undefined ? {} : { lines })
}

it('shows what changed as git does', () => {
  verifies('E16')
  const before = { text: '1\n2\n3\n4\n5\n6\n7\n8\n9\n', gone: 'x', 'l.md': '-> text' }
  const after = { text: '1\n2\n3\n4\nfive\n6\n7\n8\n9\n', 'd/new': 'y\n', 'l.md': '-> d/new' }
  expect(diffOf(before, after)).toBe(`diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
\\ No newline at end of file
diff --git a/l.md b/l.md
--- a/l.md
+++ b/l.md
@@ -1 +1 @@
-text
\\ No newline at end of file
+d/new
\\ No newline at end of file
diff --git a/text b/text
--- a/text
+++ b/text
@@ -2,7 +2,7 @@
 2
 3
 4
-5
+five
 6
 7
 8
diff --git a/d/new b/d/new
new file mode 100644
--- /dev/null
+++ b/d/new
@@ -0,0 +1 @@
+y
`)
})

it('says of what is no text only that it differs', () => {
  expect(diffOf({ x: Buffer.from([0, 1]) }, { x: Buffer.from([0, 2]) })).toBe(
    'diff --git a/x b/x\nBinary files a/x and b/x differ\n',
  )
})

it('shows rights alone, and names that could be mistaken', () => {
  plant(join(top, 'after'), { 'a\n"b"é': 'x' })
  chmodSync(join(top, 'after', 'a\n"b"é'), 0o755)
  expect(diffOf({ 'a\n"b"é': 'x' }, {})).toBe(
    'diff --git "a/a\\n\\"b\\"\\303\\251" "b/a\\n\\"b\\"\\303\\251"\nold mode 100644\nnew mode 100755\n',
  )
})

it('tells of folders that came, went or got other rights, where no file tells of them', () => {
  verifies('E16')
  plant(top, { 'before/gone': '/', 'before/d': '/', 'after/d': '/', 'after/new': '/', 'after/a\nb': '/' })
  chmodSync(join(top, 'after', 'd'), 0o700)
  expect(
    diffOf({ 'out/x': 'x' }, {})
      .split('\n')
      .filter((line) => line.includes('folder')),
  ).toEqual([
    '# folder, mode 755 to 700: d',
    '# removed folder: gone',
    '# new folder, mode 755: "a\\nb"',
    '# new folder, mode 755: new',
  ])
})

it('is bounded, and says what it leaves out', () => {
  verifies('E16')
  const after = { a: '1\n2\n3\n4\n5\n', b: 'x\n', c: 'x\n' }
  expect(diffOf({}, after, 6).split('\n').slice(5)).toEqual([
    '+1',
    '# 4 more lines, and 2 more files, are left out.',
    '',
  ])
})

it.skipIf(spawnSync('git', ['--version']).status !== 0)(
  'makes the one tree of the other with git apply',
  () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}\n`)
    const before = { 'a b': lines.join(''), 'new\nline': 'old\n', gone: 'gone\n', 'd/empty': 'x' }
    const changed = lines.with(3, 'three\n').toSpliced(20, 5).toSpliced(40, 0, 'more\n', 'and more')
    const after = { 'a b': changed.join(''), 'new\nline': 'new\n', 'e/made': 'made\n', 'd/empty': '' }
    const diff = diffOf(before, after)
    const target = join(top, 'target')
    cpSync(join(top, 'before'), target, { recursive: true })
    const applied = spawnSync('git', ['apply', '-'], { cwd: target, input: diff, encoding: 'utf8' })
    expect(applied.stderr).toBe('')
    expect(treeOf(target)).toEqual(treeOf(join(top, 'after')))
  },
)
