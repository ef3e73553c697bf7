// The tools and the prompt by which the conformance suite looks at questions in the middle of a request (SEP-2322).
import type { Crib, FunctionTool } from '../../../src/index.ts'
import type { ExtraPrompt } from '../../../src/surfaces/mcp/extras.ts'

const form = (message: string, properties: object) => ({
  message,
  requestedSchema: { type: 'object', properties, required: Object.keys(properties) } as never,
})
const text = { type: 'string' } as const
const question = (said: string) => ({
  messages: [{ role: 'user', content: { type: 'text', text: said } }] as never,
  maxTokens: 100,
})

type Attempt = Parameters<FunctionTool['fn']>[1]

const name = ({ elicit }: Attempt) =>
  elicit!(form('What is your name?', { name: text }), { key: 'user_name' })
const confirm = ({ elicit }: Attempt) =>
  elicit!(form('Please confirm', { ok: { type: 'boolean' } }), { key: 'confirm' })

const prefix = 'test_input_required_result_'
const asking: { readonly [name: string]: (attempt: Attempt) => Promise<string> } = {
  elicitation: async (attempt) => `Hello, ${(await name(attempt)).content?.['name']}!`,
  sampling: async ({ sample }) =>
    JSON.stringify(await sample!(question('What is the capital of France?'), { key: 'capital_question' })),
  list_roots: async ({ roots }) => JSON.stringify(await roots!({ key: 'client_roots' })),
  request_state: async (attempt) => `state-ok ${(await confirm(attempt)).action}`,
  tampered_state: async (attempt) => (await confirm(attempt)).action,
  multiple_inputs: async (attempt) =>
    JSON.stringify(
      await Promise.all([
        name(attempt),
        attempt.sample!(question('Generate a greeting'), { key: 'greeting' }),
        attempt.roots!({ key: 'client_roots' }),
      ]),
    ),
  multi_round: async ({ elicit }) => {
    await elicit!(form('Step 1: What is your name?', { name: text }), { key: 'step1' })
    await elicit!(form('Step 2: What is your favorite color?', { color: text }), { key: 'step2' })
    return 'done'
  },
  // It asks what the client can be asked.
  capabilities: async ({ elicit, sample }) =>
    elicit
      ? (await elicit(form('What is your name?', { name: text }))).action
      : JSON.stringify(await sample!(question('Say something'))),
}

export function addAskingTools(crib: Crib): void {
  for (const [each, ask] of Object.entries(asking))
    crib.addTool({ id: `${prefix}${each}`, description: 'It asks.', fn: (_params, attempt) => ask(attempt) })
}

export const askingPrompt: ExtraPrompt = {
  name: `${prefix}prompt`,
  description: 'A prompt that asks',
  async get(_args, { onElicit }) {
    const { content } = await onElicit!(
      form('What context should the prompt use?', { context: text }) as never,
      { key: 'user_context' },
    )
    return { messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(content) } }] }
  },
}
