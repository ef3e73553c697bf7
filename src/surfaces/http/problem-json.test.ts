import { expect, it } from 'vitest'
import { CrumbError } from '../../store/crumb-error.ts'
import { crumbProblem, HttpProblem, problemResponse } from './problem-json.ts'
import { callRoute } from './routes/call.ts'

it.each([400, 403, 404, 409, 412, 413, 415, 422, 429, 500, 502, 503, 504])(
  'a problem with status %i says what to do next',
  async (status) => {
    for (const answer of [
      problemResponse(new HttpProblem(status, 'CODE', 'It did not work.')),
      crumbProblem(new CrumbError(status as 400, 'MALFORMED', 'It did not work.')),
    ])
      expect(await answer.json()).toMatchObject({ status, hint: expect.stringMatching(/\w.*\.$/) })
  },
)

it('a hint of the problem itself comes first', async () => {
  const answer = problemResponse(new HttpProblem(409, 'CONFLICT', 'Used.', { hint: 'Use a new key.' }))
  expect(await answer.json()).toMatchObject({ hint: 'Use a new key.' })
})

it('a body that is no object is told so', () => {
  expect(() => callRoute.body!.check([])).toThrow('The body is not valid: it must be a JSON object.')
})
