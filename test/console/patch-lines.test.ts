// Which lines of a difference stand beside each other.
import { expect, it } from 'vitest'
import { pairsOf } from '../../console/src/parts/pair-lines.ts'
import { readDiff } from '../../console/src/parts/unified-diff.ts'
import { verifies } from '../helpers/verifies.ts'

it('sets what came beside what went, line by line, and what stayed beside itself', () => {
  verifies('V21')
  const [file] = readDiff('--- a/x\n+++ b/x\n@@ -1,4 +1,5 @@\n a\n-b\n-c\n+B\n d\n+e\n+f\n')
  const texts = pairsOf(file!.lines)
    .slice(1)
    .map(({ old, now }) => [old?.text, now?.text])
  expect(texts).toEqual([
    ['a', 'a'],
    ['b', 'B'],
    ['c', undefined],
    ['d', 'd'],
    [undefined, 'e'],
    [undefined, 'f'],
  ])
})
