import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { bodyOf, readFrontmatter } from './frontmatter.ts'

describe('readFrontmatter', () => {
  it('reads the block after a byte order mark and blank lines', () => {
    verifies('T6')
    const text = '\uFEFF\n\n---\nname: a\ndescription: does a\n---\n\n# Body\n---\nmore\n'
    const read = readFrontmatter(text)
    expect(read).toMatchObject({ isPresent: true, data: { name: 'a', description: 'does a' }, faults: [] })
    expect(bodyOf(text, read)).toBe('# Body\n---\nmore\n')
  })

  it('reads the block after a signature comment', () => {
    const read = readFrontmatter(
      '<!-- rye:signed:2026-01-01T00:00:00Z:abc:def:0123 -->\n---\nname: a\n---\nbody',
    )
    expect(read).toMatchObject({ isPresent: true, data: { name: 'a' } })
  })

  it('accepts line ends of both kinds', () => {
    const text = '---\r\nname: a\r\n---\r\nbody\r\n'
    const read = readFrontmatter(text)
    expect(read.data).toEqual({ name: 'a' })
    expect(bodyOf(text, read)).toBe('body\r\n')
  })

  it.each(['# Title\n---\nname: a\n---\n', ' ---\nname: a\n---\n', '--- \nname: a\n---\n', ''])(
    'finds no block in %j',
    (text) => {
      expect(readFrontmatter(text)).toMatchObject({ isPresent: false, data: {}, faults: [] })
      expect(bodyOf(text, readFrontmatter(text))).toBe(text)
    },
  )

  it('reads YAML 1.2: yes and dates are text', () => {
    verifies('T6')
    expect(readFrontmatter('---\na: yes\nb: 2020-01-01\nc: 0o17\n---\n').data).toEqual({
      a: 'yes',
      b: '2020-01-01',
      c: 15,
    })
  })

  it.each([
    ['a YAML error', '\n---\nname: a\nmetadata: {b\n---\n', 4],
    ['a repeated key', '---\nname: a\nname: b\n---\n', 3],
    ['a missing closing line', '\n---\nname: a\n', 2],
    ['a block that is no map', '---\n- a\n---\n', 2],
    ['aliases that unfold without end', '---\na: &a [1, *a]\n---\n', 2],
  ])('reports %s with its line in the file', (_, text, line) => {
    verifies('T7')
    const read = readFrontmatter(text)
    expect(read.faults).toMatchObject([{ line }])
    expect(read.data).toEqual({})
  })

  it('takes an empty block as an empty map', () => {
    expect(readFrontmatter('---\n# nothing\n---\n')).toMatchObject({ isPresent: true, data: {}, faults: [] })
    expect(readFrontmatter('---\n---\n')).toMatchObject({ isPresent: true, data: {}, faults: [] })
  })

  it('knows where keys and list elements stand', () => {
    const read = readFrontmatter('---\nname: a\nmetadata:\n  requires:\n    bins: [git, 5]\n---\n')
    expect(read.positionOf(['metadata', 'requires', 'bins'])).toEqual({ line: 5, column: 5 })
    expect(read.positionOf(['metadata', 'requires', 'bins', 1])).toEqual({ line: 5, column: 17 })
  })
})
