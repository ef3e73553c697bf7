import { expect, it } from 'vitest'
import { refusedBy, storeFault, versionMismatch } from '../../store/store-error.ts'
import { errorData } from '../../tool/tool-error.ts'
import { HttpProblem, problemOf, problemResponse } from './problem-json.ts'
import { callRoute } from './routes/call.ts'

it.each([400, 403, 404, 409, 412, 413, 415, 422, 429, 500, 502, 503, 504])(
  'a problem with status %i says what to do next',
  async (status) => {
    const answer = problemResponse(new HttpProblem('CODE', 'It did not work.', { status }))
    expect(await answer.json()).toMatchObject({ status, hint: expect.stringMatching(/\w.*\.$/) })
  },
)

it('a hint of the problem itself comes first', async () => {
  const answer = problemResponse(new HttpProblem('CONFLICT', 'Used.', { hint: 'Use a new key.' }))
  expect(await answer.json()).toMatchObject({ hint: 'Use a new key.' })
})

it('a body that is no object is told so', () => {
  expect(() => callRoute.body!.check([])).toThrow('The body is not valid: it must be a JSON object.')
})

it('a refused version says which one there is', async () => {
  const answer = problemResponse(problemOf(errorData(versionMismatch('a', 1, 2))))
  expect(await answer.json()).toMatchObject({
    status: 412,
    code: 'VERSION_MISMATCH',
    legacyCode: 'version_mismatch',
    current_version: 2,
  })
})

it('a refused definition lists its problems as errors, the code of the first as legacyCode', async () => {
  const problem = { code: 'tc-source', severity: 'error', message: 'has no source', hint: 'Add it.' } as const
  const answer = problemResponse(problemOf(errorData(refusedBy([problem], 'The tool is refused'))))
  expect(await answer.json()).toEqual({
    type: 'about:blank',
    title: 'Invalid',
    status: 422,
    code: 'TOOL_INVALID',
    legacyCode: 'tc-source',
    detail: 'The tool is refused: has no source',
    hint: 'Add it.',
    errors: [problem],
  })
})

it('a busy store says when to come again', () => {
  const answer = problemResponse(problemOf(errorData(storeFault('STORE_BUSY', 'Busy.'))))
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
})

it('refused settings carry the code that they had before as legacyCode', async () => {
  const error = { code: 'SETTINGS_INVALID', message: 'config must be an object.', retryable: false }
  expect(await problemResponse(problemOf(error)).json()).toMatchObject({
    status: 422,
    legacyCode: 'CONFIG_INVALID',
  })
})

it.each([
  ['BODY_INVALID', 400],
  ['BODY_TOO_LARGE', 413],
  ['ADMIN_NEEDED', 403],
  ['HOST_REFUSED', 421],
  ['ROUTE_NOT_FOUND', 404],
  ['CONFLICT', 409],
  ['NOT_READY', 503],
  ['A_CODE_OF_A_FORMAT', 502],
])('answers %s with %i, as the table of codes says', (code, status) => {
  expect(problemResponse(new HttpProblem(code, 'No.')).status).toBe(status)
})

it('answers with a status that tells more than its code, where one is given', () => {
  expect(problemResponse(new HttpProblem('BUSY', 'Later.', { status: 429 })).status).toBe(429)
})
