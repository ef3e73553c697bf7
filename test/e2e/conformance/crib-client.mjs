// A crib as a client of a server of the conformance suite: it logs in where the server wants that, and uses all that
// the server offers. The suite starts it with the address of the server.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCrib } from '../../../dist/index.mjs'

const url = process.argv.at(-1)
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const mostLogins = 3

const root = mkdtempSync(join(tmpdir(), 'crib-client-'))
const crib = await openCrib({
  root,
  env: { HOME: root },
  trustFolder: true,
  config: {
    mcp: {
      servers: { suite: { url, auth: authOf() } },
      clientDocument: 'https://conformance-test.local/client-metadata.json',
      listTimeoutMs: 20_000,
    },
    grants: { default: ['net.http:localhost', 'net.http:127.0.0.1'] },
  },
})
const person = { name: 'library', owner: 'local', surface: 'library', isAdmin: true, depth: 0 }
try {
  const { secrets } = await crib.crumbs.open()
  if (context.client_secret) await secrets.set('SUITE_SECRET', context.client_secret, person)
  await crib.discover({ refresh: true })
  await logInWhileNeeded(() => crib.problems.some(({ code }) => code === 'mcp-login-needed'))
  for (const { message } of crib.problems) console.error(message)
  const own = crib.list({ format: 'mcp' })
  for (const tool of own) await use(tool, argumentsOf(tool, own))
  for (const kind of ['prompt', 'resource']) for (const entry of crib.list({ kind })) await use(entry, {})
} finally {
  await crib.close()
  rmSync(root, { recursive: true, force: true })
}

/** What the entry of the server says of a log-in. */
function authOf() {
  const { client_id: clientId } = context
  if (clientId === undefined) return undefined
  const type = scenario.startsWith('auth/client-credentials') ? 'client-credentials' : 'oauth'
  return { type, clientId, secret: 'SUITE_SECRET' }
}

/** The arguments that the suite names, what it cares for otherwise, or none. */
function argumentsOf({ runtime, params }, own) {
  const { tool } = runtime.plan
  const named = (context.toolCalls ?? []).find(({ name }) => name === tool)
  // No schema here allows null, so the crib would refuse it before the server hears of it.
  if (named) return Object.fromEntries(Object.entries(named.arguments).filter(([, value]) => value !== null))
  if (tool === 'add_numbers') return { a: 5, b: 3 }
  // The suite wants the schema back as its client has it.
  const seen = own.find((one) => one.runtime.plan.tool === 'json_schema_2020_12_tool')
  if (tool === 'json_schema_echo') return { schema: seen.params }
  const required = (params.required ?? []).map((name) => [name, someOf(params.properties?.[name])])
  return Object.fromEntries(required)
}

function someOf({ type } = {}) {
  return { number: 1, integer: 1, boolean: true, object: {}, array: [] }[type] ?? 'some'
}

async function use(tool, args) {
  let logins = 0
  for (;;) {
    const outcome = await crib.call(tool.id, args, { onElicit: accept, elicitModes: ['form'], onRoots })
    if (outcome.ok || outcome.error.code !== 'AUTH_REQUIRED' || logins++ >= mostLogins) {
      console.log(tool.id, JSON.stringify(outcome.ok ? outcome.value : outcome.error).slice(0, 500))
      return
    }
    await logIn()
  }
}

async function logInWhileNeeded(isNeeded) {
  for (let times = 0; times < mostLogins && isNeeded(); times++) await logIn()
}

/** A person with a browser that follows where it is sent. */
async function logIn() {
  await crib.logins.logInTo('suite', person, {
    signal: AbortSignal.timeout(20_000),
    show: async (address) => {
      fetch(address).then((page) => page.text(), console.error)
      return true
    },
  })
}

/** A person who takes a form as it is shown, and another call that has nothing to do with it meanwhile. */
async function accept({ requestedSchema }) {
  const unrelated = crib.list({ format: 'mcp' }).find(({ id }) => id.endsWith('unrelated'))
  if (unrelated) await crib.call(unrelated.id)
  const shown = Object.entries(requestedSchema?.properties ?? {})
  const filled = shown.map(([name, { default: value, type }]) => [
    name,
    value ?? (type === 'boolean' ? true : 'x'),
  ])
  return { action: 'accept', content: Object.fromEntries(filled) }
}

async function onRoots() {
  return { roots: [] }
}
