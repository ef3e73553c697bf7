// The answers to what a server of 2026-07-28 asks in one round.
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { isPlainObject } from '../../tool/json.ts'
import { type Caller, type QuestionMethod, questionMethods } from './ask-caller.ts'

/** All questions of one round are asked at the same time. */
export async function answersTo(
  questions: unknown,
  caller: Caller,
  signal: AbortSignal | undefined,
): Promise<object> {
  const entries = Object.entries(isPlainObject(questions) ? questions : {})
  const answers = entries.map(async ([key, question]) => {
    const { method, params } = isPlainObject(question) ? question : {}
    if (!questionMethods.includes(method as QuestionMethod))
      throw new SdkError(
        SdkErrorCode.InvalidResult,
        `the server asks "${String(method)}", which is no question of the protocol`,
      )
    return [key, await caller.answer(method as QuestionMethod, params, { key, signal })] as const
  })
  return Object.fromEntries(await Promise.all(answers))
}
