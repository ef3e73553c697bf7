import { describe, expect, it } from 'vitest'
import { cribWith } from '../../test/helpers/crib-with-tool.ts'
import { verifies } from '../../test/helpers/verifies.ts'

async function problemsWith(config: Record<string, unknown>) {
  const crib = await cribWith(config)
  for (const id of ['notes/read', 'notes/append']) crib.addTool({ id, fn: () => 1 })
  return crib.problems.map(({ code, message, hint }) => ({ code, message, hint }))
}

describe('an offer', () => {
  it('that names what is there has no problem', async () => {
    expect(
      await problemsWith({ offers: { work: { tools: ['notes_*'], rename: { notes_append: 'add' } } } }),
    ).toEqual([])
  })

  it.each([
    [
      { tools: ['notes/raed'] },
      'offer-unmatched',
      'offers.work.tools names "notes/raed", and no tool fits it.',
      'Did you mean "notes/read"?',
    ],
    [
      { tools: ['notes/*'], rename: { notes_raed: 'read' } },
      'offer-unmatched',
      'offers.work.rename names "notes_raed", and the offer holds no such tool.',
      'Did you mean "notes_read"?',
    ],
    [
      { tools: ['notes/*'], rename: { notes_append: 'notes_read' } },
      'offer-name-clash',
      'offers.work.rename gives "notes_append" the name "notes_read", which another tool of the offer has.',
      'Choose another name; until then it is "notes_append".',
    ],
  ])('%j has the problem %s', async (work, code, message, hint) => {
    verifies('D18')
    expect(await problemsWith({ offers: { work } })).toEqual([{ code, message, hint }])
  })

  it('that a token names must be there', async () => {
    verifies('D18')
    const token = { name: 'ci', token: `sha256:${'0'.repeat(64)}`, offer: 'wrok' }
    const problems = await problemsWith({ offers: { work: { tools: ['*'] } }, serve: { tokens: [token] } })
    expect(problems).toEqual([
      {
        code: 'offer-unknown',
        message: 'The token "ci" has the offer "wrok", which is not there; it is offered nothing.',
        hint: 'Did you mean "work"?',
      },
    ])
  })

  it.each([
    [{ tools: [] }],
    [{ tools: ['!notes/*'] }],
    [{ tools: ['*'], rename: { a: 'b c' } }],
    [{ tool: ['*'] }],
  ])('%j is refused as a setting', async (work) => {
    await expect(problemsWith({ offers: { work } })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })
})
