// `toolcrib tokens`: scoped tokens for the clients of `toolcrib serve`. A token is shown once, when it is made.
import { spacesOf } from '../../../config/spaces.ts'
import { offerNamed } from '../../../guards/offer-selection.ts'
import { defined } from '../../../tool/defined.ts'
import { nearNames } from '../../../tool/near-names.ts'
import { isExpired, type StoredToken, type TokenScope, TokenStore } from '../../http/token-store.ts'
import { type CliCommand, UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import { columns, noteStyle, outStyle } from '../style.ts'

interface Options {
  readonly grants?: string
  readonly allowedTools?: string
  readonly offer?: string
  readonly admin?: boolean
  readonly expires?: string
}

type Action = (session: Session, store: TokenStore, name: string | undefined, options: Options) => number

export const tokens: CliCommand = {
  examples: [
    ['toolcrib tokens new ci', 'a token that may call every tool'],
    [
      'toolcrib tokens new reader --allowed-tools "text/* math/add" --grants fs.read',
      'one that may call some, and read only',
    ],
    ['toolcrib tokens new agent --offer notes', 'one for the tools of the offer "notes" of toolcrib.yaml'],
    ['toolcrib tokens new guest --expires 7d', 'one that ends by itself'],
    ['toolcrib tokens list', 'names and scopes; the tokens themselves are not kept'],
    ['toolcrib tokens rm guest', 'it stops working at once'],
  ],
  define(command) {
    command
      .argument('<action>', 'new, list or rm')
      .argument('[name]', 'name of the token, shown in records')
      .option('--allowed-tools <list>', 'tools it may call, as an allowed-tools list')
      .option(
        '--grants <list>',
        'what its calls may do, as capabilities with commas; default: all that is granted',
      )
      .option('--offer <name>', 'the offer of toolcrib.yaml it is for; it reaches nothing else')
      .option('--admin', 'may decide approvals and see all runs and secrets')
      .option('--expires <when>', 'how long it is good for (30m, 12h, 7d) or a date')
  },
  async run(session, [action, name], options: Options) {
    const run = actions[action!]
    if (!run) {
      const near = nearNames(action!, Object.keys(actions), 1)[0]
      throw new UsageError(
        `There is no "tokens ${action}".`,
        near ? `Did you mean "tokens ${near}"?` : 'Use one of new, list, rm.',
      )
    }
    if (options.offer !== undefined) offerNamed(options.offer, (await session.open()).config.offers)
    return run(session, new TokenStore(spacesOf(session.root, process.env)), name, options)
  },
}

const actions: { readonly [name: string]: Action } = {
  new(session, store, name, options) {
    const { token, stored } = store.add(needed(name, 'new'), scopeOf(options))
    if (session.json) session.outJson({ token, ...shown(stored), root: session.root })
    else session.out(token)
    session.note(
      noteStyle.dim(
        `Keep it: it is not shown again. Send it as "Authorization: Bearer ${token.slice(0, 6)}…".`,
      ),
    )
    return 0
  },

  list(session, store) {
    const all = store.tokens.map(shown)
    if (session.json) session.outJson({ tokens: all, root: session.root })
    else if (all.length === 0) session.note('No tokens yet. Make one with `toolcrib tokens new <name>`.')
    else for (const line of columns(store.tokens.map(row))) session.out(line)
    return 0
  },

  rm(session, store, name) {
    const gone = store.remove(needed(name, 'rm'))
    if (session.json) session.outJson({ tokens: [shown(gone)], root: session.root })
    session.note(`The token "${gone.name}" no longer works.`)
    return 0
  },
}

function needed(name: string | undefined, action: string): string {
  if (name) return name
  throw new UsageError(`Name the token: toolcrib tokens ${action} <name>.`)
}

function scopeOf({ grants, allowedTools, offer, admin, expires }: Options): TokenScope {
  return defined({
    grants: grants === undefined ? undefined : grants.split(/[\s,]+/).filter(Boolean),
    allowedTools,
    offer,
    admin: admin || undefined,
    expiresAt: expires === undefined ? undefined : endOf(expires),
  })
}

const units: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000 }

function endOf(text: string): string {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(text) ?? []
  const at = unit ? Date.now() + Number(count) * units[unit]! : Date.parse(text)
  if (Number.isFinite(at) && at > Date.now()) return new Date(at).toISOString()
  throw new UsageError(`--expires takes 30m, 12h, 7d or a date to come, not "${text}".`)
}

function shown({ sha256: _digest, ...token }: StoredToken) {
  return token
}

function row(token: StoredToken): string[] {
  const scope = [
    ...(token.admin ? ['admin'] : []),
    ...(token.offer === undefined ? [] : [`offer ${token.offer}`]),
    ...(token.allowedTools === undefined ? [] : [`tools ${token.allowedTools}`]),
    ...(token.grants === undefined ? [] : [`grants ${token.grants.join(', ') || 'none'}`]),
  ]
  const end =
    token.expiresAt === undefined ? '' : `${isExpired(token) ? 'expired' : 'until'} ${token.expiresAt}`
  return [outStyle.bold(token.name), scope.join('; ') || 'every tool', outStyle.dim(end)]
}
