// Models for agents and prompt skills: configured, their package installed, their key there, their server reachable.
import { createRequire } from 'node:module'
import type { ModelConfig } from '../../../config/config.ts'
import type { Crib } from '../../../crib/crib.ts'
import { libraryPrincipal } from '../../../tool/principal.ts'
import { messageOf } from '../../../tool/tool-error.ts'
import type { Diagnosis } from './diagnosis.ts'

const require = createRequire(import.meta.url)
const packages: Record<ModelConfig['provider'], string> = {
  ollama: 'ollama',
  'openai-compatible': '@ai-sdk/openai-compatible',
  anthropic: '@ai-sdk/anthropic',
}
const ollamaUrl = 'http://127.0.0.1:11434'

export async function checkModels(crib: Crib, signal: AbortSignal): Promise<Diagnosis[]> {
  const models = Object.entries(crib.config.models).filter(
    (entry): entry is [string, ModelConfig] => typeof entry[1] !== 'string',
  )
  if (models.length > 0)
    return Promise.all(models.map(([name, model]) => modelCheck(crib, name, model, signal)))
  const isOllamaHere = (await reach(`${ollamaUrl}/api/version`, signal)) === undefined
  return [
    {
      name: 'models',
      ok: false,
      needed: false,
      detail: `none configured; agents and prompt skills need one${isOllamaHere ? ' (Ollama answers here)' : ''}`,
      fix: `echo 'models: { default: { provider: ollama, model: llama3.2 } }' >> toolcrib.yaml`,
    },
  ]
}

async function modelCheck(
  crib: Crib,
  name: string,
  model: ModelConfig,
  signal: AbortSignal,
): Promise<Diagnosis> {
  const base = { name: `model: ${name}`, needed: false, version: model.model }
  const fault = missingPackage(model) ?? (await missingKey(crib, model)) ?? (await unreachable(model, signal))
  return fault
    ? { ...base, ok: false, ...fault }
    : { ...base, ok: true, detail: `${model.provider}${model.baseURL ? ` at ${model.baseURL}` : ''}` }
}

type Fault = { readonly detail: string; readonly fix: string }

function missingPackage(model: ModelConfig): Fault | undefined {
  const name = packages[model.provider]
  try {
    require.resolve(name)
    return undefined
  } catch {
    return { detail: `the package ${name} is not installed`, fix: `npm install ${name}` }
  }
}

async function missingKey(crib: Crib, { apiKey }: ModelConfig): Promise<Fault | undefined> {
  const [, kind, name] = /^(env|secret):\/\/(.+)$/.exec(apiKey ?? '') ?? []
  if (kind === 'env' && !process.env[name!])
    return { detail: `the variable ${name} is not set`, fix: `export ${name}=…` }
  if (kind !== 'secret') return undefined
  const { secrets } = await crib.crumbs.open()
  const isThere = (await secrets.list(libraryPrincipal)).some((secret) => secret.name === name)
  return isThere
    ? undefined
    : { detail: `the secret ${name} is not stored`, fix: `toolcrib secrets set ${name}` }
}

async function unreachable(model: ModelConfig, signal: AbortSignal): Promise<Fault | undefined> {
  const isLocal = model.provider === 'ollama' || /\/\/(127\.|localhost|\[::1\])/.test(model.baseURL ?? '')
  // A remote provider is not asked: that would cost money or leave the machine unbidden.
  if (!isLocal) return undefined
  const base = (model.baseURL ?? ollamaUrl).replace(/\/(v1|api)?\/?$/, '')
  const why = await reach(model.provider === 'ollama' ? `${base}/api/version` : model.baseURL!, signal)
  return why === undefined
    ? undefined
    : {
        detail: `${base} does not answer: ${why}`,
        fix: model.provider === 'ollama' ? 'ollama serve' : `curl ${base}`,
      }
}

/** Why an address does not answer; undefined when it does, whatever it says. */
async function reach(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(2_000)]) })
    return undefined
  } catch (error) {
    return messageOf((error as Error).cause ?? error)
  }
}
