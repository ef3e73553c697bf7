import { expect, it } from 'vitest'
import { refusedBy, storeFault, versionMismatch } from '../../store/store-error.ts'
import { errorData } from '../../tool/tool-error.ts'
import { HttpProblem, problemOf, problemResponse } from './problem-json.ts'
import { callRoute } from './routes/call.ts'

it.each([
  ['BODY_INVALID', 400],
  ['TOKEN_MISSING', 401],
  ['TOKEN_INVALID', 401],
  ['ADMIN_NEEDED', 403],
  ['ROUTE_NOT_FOUND', 404],
  ['CONFLICT', 409],
  ['BODY_TOO_LARGE', 413],
  ['BODY_NOT_JSON', 415],
  ['HOST_REFUSED', 421],
  ['VECTOR_UNSUPPORTED', 422],
  ['TOO_MANY_OPEN', 429],
  ['INTERNAL', 500],
  ['A_CODE_OF_A_FORMAT', 502],
  ['NOT_READY', 503],
  ['TIMEOUT', 504],
])('answers %s with %i, as the table of codes says, and says what to do next', async (code, status) => {
  const answer = problemResponse(new HttpProblem(code, 'No.'))
  expect(answer.status).toBe(status)
  expect(await answer.json()).toMatchObject({ status, hint: expect.stringMatching(/\w.*\.$/) })
})

it.each([
  ['BODY_NOT_JSON', 'BODY_INVALID'],
  ['TOO_MANY_OPEN', 'BUSY'],
])('%s carries the code that 0.1.0 gave it: %s', async (code, legacyCode) => {
  expect(await problemResponse(new HttpProblem(code, 'No.')).json()).toMatchObject({ code, legacyCode })
})

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
