// `toolcrib secrets`: values come from stdin or a hidden prompt, never from the command line, and never go out.
import { text as readAll } from 'node:stream/consumers'
import { type SecretInfo, type SecretScope, type Secrets, secretScopes } from '../../../secrets/secrets.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { actionOf, neededArgument } from '../actions.ts'
import { type CliCommand, UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import { columns, outStyle, plain } from '../style.ts'

interface Options {
  readonly scope?: string
  readonly for?: string
}

type Action = (
  session: Session,
  secrets: Secrets,
  args: readonly string[],
  options: Options,
) => Promise<number>

export const secrets: CliCommand = {
  words: ['set', 'list', 'rm'],
  examples: [
    ['toolcrib secrets set OPENROUTER_API_KEY', 'asks for the value without showing it'],
    ['pass show openrouter | toolcrib secrets set OPENROUTER_API_KEY', 'the value from another program'],
    ['toolcrib secrets set API_KEY --scope tool --for calculator', 'for one tool only'],
    ['toolcrib secrets list', 'names and scopes, never values'],
    ['toolcrib secrets rm API_KEY', ''],
  ],
  define(command) {
    command
      .argument('<action>', 'set, list or rm')
      .argument('[name]', 'set, rm: the name; rm takes an id too')
      .argument('[value...]', 'not taken: values never stand on the command line')
      .option('--scope <scope>', 'who may have it: owner (default), workspace or tool')
      .option('--for <name>', 'the tool or workspace of the scope')
  },
  async run(session, [word, ...args], options: Options) {
    const action = actionOf('secrets', actions, word)
    const open = await (await session.open()).crumbs.open()
    return action(session, open.secrets, args, options)
  },
}

const actions: { readonly [word: string]: Action } = {
  async set(session, store, [given, ...rest], options) {
    const name = neededArgument(given, 'secrets set', 'the name of the secret')
    if (rest.length > 0)
      throw new UsageError(
        'The value is not taken from the command line, where other programs and the shell history see it.',
        `Pipe it in: … | toolcrib secrets set ${name}`,
      )
    const scope = scopeOf(options)
    const value = await readValue(session, name)
    const isKnown = (await store.list(session.principal)).some((secret) => isAt(secret, name, scope))
    const id = await store.set(name, value, session.principal, scope)
    if (session.json) session.outJson({ id, name })
    session.note(isKnown ? `${name} has a new value.` : `${name} is stored.`)
    return 0
  },

  async list(session, store) {
    const all = await store.list(session.principal)
    if (session.json) session.outJson({ secrets: all })
    else for (const line of columns(all.map(rowOf))) session.out(line)
    if (all.length === 0) session.note('There are no secrets. Store one with `toolcrib secrets set NAME`.')
    return 0
  },

  async rm(session, store, [given], options) {
    const name = neededArgument(given, 'secrets rm', 'the name or id of the secret')
    const all = await store.list(session.principal)
    const scope = options.scope === undefined && options.for === undefined ? null : scopeOf(options)
    const meant = all.filter(
      (secret) => secret.id === name || (scope ? isAt(secret, name, scope) : secret.name === name),
    )
    if (meant.length === 0)
      throw new ToolError('SECRET_NOT_FOUND', `There is no secret ${name}.`, {
        hint: 'See `toolcrib secrets list`.',
      })
    if (meant.length > 1)
      throw new UsageError(
        `There are ${meant.length} secrets named ${name}.`,
        'Say which with --scope and --for, or by its id; see `toolcrib secrets list`.',
      )
    await store.remove(meant[0]!.id, session.principal)
    if (session.json) session.outJson({ ok: true, id: meant[0]!.id, name: meant[0]!.name })
    session.note(`${meant[0]!.name} is gone.`)
    return 0
  },
}

function scopeOf({ scope = 'owner', for: id }: Options): { type: SecretScope; id?: string } {
  if (!secretScopes.includes(scope as SecretScope))
    throw new UsageError(`--scope is one of ${secretScopes.join(', ')}, not "${scope}".`)
  if (scope === 'owner') {
    if (id !== undefined) throw new UsageError('--for needs --scope tool or --scope workspace.')
    return { type: 'owner' }
  }
  if (id === undefined) throw new UsageError(`--scope ${scope} needs --for <${scope}>.`)
  return { type: scope as SecretScope, id }
}

function isAt(secret: SecretInfo, name: string, scope: { type: SecretScope; id?: string }): boolean {
  return secret.name === name && secret.scope_type === scope.type && secret.scope_id === (scope.id ?? null)
}

/** From a pipe as it stands, one line end at its end left out; else asked for without showing it. */
async function readValue(session: Session, name: string): Promise<string> {
  if (!process.stdin.isTTY) return (await readAll(process.stdin)).replace(/\r?\n$/, '')
  if (!session.mayAsk)
    throw new UsageError(
      'There is nobody to ask for the value.',
      `Pipe it in: … | toolcrib secrets set ${name}`,
    )
  const { isCancel, password } = await import('@clack/prompts')
  const value = await password({ message: `Value of ${name}` })
  if (isCancel(value)) throw new ToolError('CANCELLED', 'Nothing was stored.')
  return value ?? ''
}

function rowOf({ id, name, scope_type, scope_id, updated_at }: SecretInfo): string[] {
  return [
    plain(name),
    scope_id === null ? scope_type : `${scope_type} ${plain(scope_id)}`,
    outStyle.dim(updated_at.slice(0, 19).replace('T', ' ')),
    outStyle.dim(id),
  ]
}
