// The texts of a server's prompts, so that a lock pins them: each is asked for with every argument standing for itself.
// One that says something else each time, or takes no such argument, has none (U1).
import type { Prompt } from '@modelcontextprotocol/client'
import { jsonDigest } from '../../tool/json.ts'
import type { Connection } from './connection.ts'

const maxPrompts = 64

/** By the prompt's name: the digest of its messages. */
export async function promptTexts(
  connection: Connection,
  prompts: readonly Prompt[],
  signal: AbortSignal,
): Promise<{ readonly [name: string]: string }> {
  const texts = prompts.slice(0, maxPrompts).map(async (prompt) => {
    const [first, again] = [
      await textOf(connection, prompt, signal),
      await textOf(connection, prompt, signal),
    ]
    return first !== undefined && first === again ? [[prompt.name, first] as const] : []
  })
  return Object.fromEntries((await Promise.all(texts)).flat())
}

async function textOf(
  connection: Connection,
  { name, arguments: given }: Prompt,
  signal: AbortSignal,
): Promise<string | undefined> {
  const names = Array.isArray(given) ? given.map((argument) => String(argument?.name)) : []
  const args = Object.fromEntries(names.map((argument) => [argument, `{${argument}}`]))
  const params = names.length > 0 ? { name, arguments: args } : { name }
  try {
    const { messages } = await connection.ask({ method: 'prompts/get', params }, signal)
    return jsonDigest(messages ?? null)
  } catch {
    return undefined
  }
}
