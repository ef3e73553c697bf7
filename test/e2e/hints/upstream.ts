// Hints about others: models on loopback, and a protected MCP server with its identity provider.
import { libraryPrincipal } from '../../../src/tool/principal.ts'
import { type LoginBench, logInToBox, loginBench } from '../../helpers/login-bench.ts'
import { modelServer, type Scripted } from '../skills/model-server.ts'
import type { Place, Step, Table } from './place.ts'
import { markdown } from './writers.ts'

const bot = {
  'bot.skill.md': markdown('bot', 'metadata: { params: { type: object } }\n', 'You are a bot.\n'),
}
const answering = async (at: Place, script: readonly Scripted[], more: object = {}, files: object = {}) => {
  const { models } = await modelServer(script)
  return at.call(
    { ...bot, ...files },
    'bot',
    {},
    { config: { models: models('openai-compatible', more) as never } },
  )
}
const model =
  (script: readonly Scripted[], more: object = {}, files: object = {}): Step =>
  (at) =>
    answering(at, script, more, files)
const counting = {
  'bot.skill.md': markdown(
    'bot',
    'metadata: { params: { type: object }, returns: { type: object, properties: { n: { type: number } }, required: [n] } }\n',
    'You are a bot.\n',
  ),
}
const costly = {
  'bot.skill.md': markdown(
    'bot',
    'metadata: { params: { type: object }, model: { maxCost: 1 } }\n',
    'You are a bot.\n',
  ),
}
const well = model([{ text: 'Done.' }])
const nobody = 'http://127.0.0.1:9'

export const models: Table = {
  'Check the apiKey of the model in toolcrib.yaml and the variable or secret it names.': [
    model([{ status: 401, error: 'wrong key' }]),
    well,
  ],
  'Check baseURL and model in toolcrib.yaml.': [model([{ status: 404, error: 'no such model' }]), well],
  'Its limit is reached; wait, or use another model.': [model([{ status: 429, error: 'too many' }]), well],
  'Check baseURL in toolcrib.yaml, and whether the service is up.': [
    (at) =>
      at.call(
        bot,
        'bot',
        {},
        {
          config: {
            models: { default: { provider: 'openai-compatible', baseURL: `${nobody}/v1`, model: 'm' } },
          },
        },
      ),
    well,
  ],
  'Is Ollama running? Start it with `ollama serve`.': [
    (at) =>
      at.call(
        bot,
        'bot',
        {},
        { config: { models: { default: { provider: 'ollama', baseURL: nobody, model: 'm' } } } },
      ),
    async (at) => {
      const { models: here } = await modelServer([{ text: 'Done.' }])
      return at.call({}, 'bot', {}, { config: { models: here('ollama') as never } })
    },
  ],
  'Set ${} in the environment.': [
    model([{ text: 'Done.' }], { apiKey: 'env://MODEL_KEY' }),
    async (at) => {
      const { models: here } = await modelServer([{ text: 'Done.' }])
      return at.call(
        {},
        'bot',
        {},
        {
          config: { models: here('openai-compatible', { apiKey: 'env://MODEL_KEY' }) as never },
          env: { ...at.env, MODEL_KEY: 'k' },
        },
      )
    },
  ],
  'Add `price: { input: …, output: … }` (per million tokens) to models.${} in toolcrib.yaml.': [
    model([{ text: 'Done.' }], {}, costly),
    model([{ text: 'Done.' }], { price: { input: 1, output: 1 } }, costly),
  ],
  'Add the lines above to toolcrib.yaml, or use it as the MCP prompt "${}" of a client that has a model of its own.':
    [(at) => at.call(bot, 'bot'), well],
  'A larger model may do, or simpler `returns`.': [
    model([{ text: 'no JSON' }], {}, counting),
    model([{ text: 'no JSON' }], {}, bot),
  ],
}

const benches = new Map<string, LoginBench>()
const bench = async (at: Place, auth?: unknown): Promise<LoginBench> => {
  const made = benches.get(at.root) ?? (await loginBench(auth))
  benches.set(at.root, made)
  return made
}
/** A log-in at a provider or server that does something wrong, and one after that was mended there. */
const login = (
  spoil: (bench: LoginBench) => void,
  mend: (bench: LoginBench) => void,
): readonly [Step, Step] => [
  async (at) => {
    const made = await bench(at)
    spoil(made)
    await logInToBox(made.crib)
    return ''
  },
  async (at) => {
    const made = await bench(at)
    mend(made)
    await logInToBox(made.crib)
    return made.crib.call('box-whoami')
  },
]

export const logins: Table = {
  'Log in with `${}`.': [
    async (at) => (await bench(at)).crib.call('box-whoami'),
    async (at) => {
      const { crib } = await bench(at)
      await logInToBox(crib)
      return crib.call('box-whoami')
    },
  ],
  'Begin again and agree to what is asked there.': [
    async (at) => {
      await logInToBox((await bench(at)).crib, { agrees: false })
      return ''
    },
    async (at) => {
      const { crib } = await bench(at)
      await logInToBox(crib, { agrees: true })
      return crib.call('box-whoami')
    },
  ],
  'The identity provider has to give out tokens for the server that was asked for (RFC 8707).': login(
    ({ idp }) => {
      idp.audience = 'https://other.example/mcp'
    },
    ({ idp }) => {
      idp.audience = undefined
    },
  ),
  'A token for another server must not be given to this one. Check its url.': login(
    ({ server }) => {
      server.resource = 'https://other.example/mcp'
    },
    ({ server }) => {
      server.resource = undefined
    },
  ),
  'Somebody may have mixed up two providers, or put one in place of another.': login(
    ({ idp }) => {
      idp.mode = 'wrong-issuer'
    },
    ({ idp }) => {
      idp.mode = 'well'
    },
  ),
  'Try again later; its operator has to fix it.': login(
    ({ idp }) => {
      idp.mode = 'nonsense'
    },
    ({ idp }) => {
      idp.mode = 'well'
    },
  ),
  'This is no identity provider.': login(
    ({ idp }) => {
      idp.mode = 'endless'
    },
    ({ idp }) => {
      idp.mode = 'well'
    },
  ),
  'Store a token that it takes: `toolcrib secrets set ${}`.': [
    async (at) => {
      const { crib, server } = await bench(at, { type: 'bearer', secret: 'BOX_TOKEN' })
      server.fixedToken = 'good'
      const { secrets } = await crib.crumbs.open()
      await secrets.set('BOX_TOKEN', 'good', libraryPrincipal)
      await crib.discover({ refresh: true })
      await secrets.set('BOX_TOKEN', 'bad', libraryPrincipal)
      return crib.call('box-whoami')
    },
    async (at) => {
      const { crib } = await bench(at)
      const { secrets } = await crib.crumbs.open()
      await secrets.set('BOX_TOKEN', 'good', libraryPrincipal)
      return crib.call('box-whoami')
    },
  ],
}
