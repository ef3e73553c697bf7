// From a configured model to one the AI SDK can ask. The packages are optional and loaded by the first agent
// that needs them.
import type { LanguageModel } from 'ai'
import type { ModelConfig } from '../../config/config.ts'
import { messageOf, ToolError } from '../../tool/tool-error.ts'

export type AgentModel = Extract<LanguageModel, { readonly specificationVersion: 'v3' }>
export type AiSdk = typeof import('ai')

const anthropicAddress = 'https://api.anthropic.com/v1'

/** The AI SDK, quiet: its warnings would go to stdout, which belongs to the result. */
export async function loadAiSdk(): Promise<AiSdk> {
  ;(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false
  return optional('ai', () => import('ai'))
}

export async function openModel(settings: ModelConfig, apiKey: string | undefined): Promise<AgentModel> {
  const { provider, model, baseURL } = settings
  if (baseURL !== undefined) checkAddress(model, baseURL)
  switch (provider) {
    case 'openai-compatible': {
      if (baseURL === undefined)
        throw new ToolError('CONFIG_INVALID', `The openai-compatible model "${model}" has no baseURL.`, {
          hint: 'Give the address of its service, for example baseURL: http://127.0.0.1:8080/v1.',
        })
      const { createOpenAICompatible } = await optional(
        '@ai-sdk/openai-compatible',
        () => import('@ai-sdk/openai-compatible'),
      )
      return createOpenAICompatible({
        name: 'openai-compatible',
        baseURL,
        includeUsage: true,
        apiKey,
      })(model)
    }
    case 'anthropic': {
      const { createAnthropic } = await optional('@ai-sdk/anthropic', () => import('@ai-sdk/anthropic'))
      // What is absent the package would take from the environment, which no setting allowed.
      return createAnthropic({ apiKey: apiKey ?? '', baseURL: baseURL ?? anthropicAddress })(model)
    }
    case 'ollama': {
      const { ollamaModel } = await optional('ollama', () => import('./ollama-model.ts'))
      return ollamaModel(model, baseURL, apiKey, await loadAiSdk())
    }
  }
}

/** An address is shown in messages, so it must hold no password; requests do not take one there either. */
function checkAddress(model: string, baseURL: string): void {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return
  throw new ToolError(
    'CONFIG_INVALID',
    `The baseURL of the model "${model}" must be an http or https address without a user or password.`,
    { hint: 'Give the key as apiKey: env://NAME or secret://NAME.' },
  )
}

async function optional<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw new ToolError(
      'RUNTIME_MISSING',
      `Agents with this provider need the package ${name}, which cannot be loaded: ${messageOf(error)}.`,
      { hint: `Install it: npm install ${name}` },
    )
  }
}
