// `toolcrib crumbs`: breadcrumbs from the command line, with or without a server beside it: both open the same
// store, and each sees what the other writes.

import type { Breadcrumbs } from '../../../crib/breadcrumbs.ts'
import { parseIfMatch } from '../../../events/crumbs.ts'
import type { EventType } from '../../../store/crumb.ts'
import { defined } from '../../../tool/defined.ts'
import { isPlainObject } from '../../../tool/json.ts'
import type { Principal } from '../../../tool/principal.ts'
import { actionOf, countOption, neededArgument, repeated } from '../actions.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { crumbLines, eventLine } from '../crumb-lines.ts'
import { readParams } from '../read-params.ts'
import type { Session } from '../session.ts'

interface Options {
  readonly title?: string
  readonly schema?: string
  readonly tag?: readonly string[]
  readonly context?: string
  readonly ttl?: string
  readonly ifMatch?: string
  readonly key?: string
  readonly view?: boolean
  readonly limit?: string
  readonly offset?: string
  readonly cursor?: string
  readonly since?: string
  readonly type?: string
  readonly count?: string
}

interface Deed {
  readonly session: Session
  readonly crumbs: Breadcrumbs
  readonly principal: Principal
  readonly options: Options
}

type Action = (deed: Deed, args: readonly string[]) => Promise<number>

const eventTypes = ['created', 'updated', 'deleted']

export const crumbs: CliCommand = {
  words: ['create', 'get', 'list', 'search', 'update', 'delete', 'history', 'watch'],
  examples: [
    [
      `toolcrib crumbs create --schema order.placed.v1 --title "An order" --context '{"item":"pencil","quantity":2}'`,
      'store one; tools that listen to its schema react',
    ],
    ['toolcrib crumbs create @note.json', 'a whole document; - reads it from stdin'],
    ['toolcrib crumbs watch', 'events as they happen, until Ctrl-C'],
    ['toolcrib crumbs list --schema order.priced.v1 --tag order', 'newest first, all tags must be there'],
    ['toolcrib crumbs search "brown fox"', 'full text, best first'],
    ['toolcrib crumbs get <id>', 'everything about one; --view applies its hints'],
    [`toolcrib crumbs update <id> --context '{"n":2}' --if-match 1`, 'refused when somebody was faster'],
    ['toolcrib crumbs delete <id>', ''],
  ],
  define(command) {
    command
      .argument('<action>', 'create, get, list, search, update, delete, history or watch')
      .argument('[value]', 'create, update: JSON, @file or -; search: the words; else the id')
      .argument('[more]', 'update: JSON, @file or -')
      .option('--title <text>', 'create, update: the title')
      .option('--schema <name>', 'create, update: the schema; list, search, watch: only this one')
      .option('--tag <tag>', 'repeatable; create, update: the tags; else only with all of these', repeated)
      .option('--context <json|@file|->', 'create, update: the content')
      .option('--ttl <seconds>', 'create, update: gone after that time')
      .option('--key <key>', 'create: the same key gives the same breadcrumb for a day')
      .option('--if-match <version>', 'update, delete: only while it has this version')
      .option('--view', 'get: as models see it, hints applied')
      .option('--limit <n>', 'list (100), search (5): how many')
      .option('--offset <n>', 'list: leave out the first n')
      .option('--cursor <cursor>', 'list: go on where a list ended')
      .option('--since <event>', 'watch: replay what came after this event; 0 for everything kept')
      .option('--type <type>', 'watch: only created, updated or deleted')
      .option('--count <n>', 'watch: end after n events')
  },
  async run(session, [word, ...args], options: Options) {
    const action = actionOf('crumbs', actions, word)
    const { crumbs } = await session.open()
    return action({ session, crumbs, principal: session.principal, options }, args)
  },
}

const actions: { readonly [word: string]: Action } = {
  async create({ session, crumbs, principal, options }, [given]) {
    const body = bodyOf(given, options)
    const { key } = options
    const { id, version, warnings } = await crumbs.create(
      body,
      principal,
      key === undefined ? {} : { idempotencyKey: key },
    )
    for (const { code, message } of warnings) session.note(`warning: ${code}: ${message}`)
    return shown({ session, crumbs, principal, options }, id, `Stored as version ${version}.`)
  },

  async get({ session, crumbs, principal, options }, [given]) {
    const id = neededArgument(given, 'crumbs get', 'the id of a breadcrumb')
    const crumb = options.view
      ? await (await crumbs.open()).crumbs.view(id, principal)
      : await crumbs.get(id, principal)
    session.json ? session.outJson(crumb) : session.out(JSON.stringify(crumb, null, 2))
    return 0
  },

  async list({ session, crumbs, principal, options }) {
    const limit = countOption(options.limit, '--limit')
    const offset = countOption(options.offset, '--offset', 0)
    const { items, next } = await crumbs.list(
      defined({
        ...filterOf(options),
        limit,
        offset,
        cursor: options.cursor,
      }),
      principal,
    )
    if (session.json) session.outJson(items)
    else for (const line of crumbLines(items)) session.out(line)
    if (items.length === 0) session.note('There are none.')
    if (next !== undefined) session.note(`There are more: --cursor ${next}`)
    return 0
  },

  async search({ session, crumbs, principal, options }, words) {
    const q = neededArgument(words.join(' '), 'crumbs search', 'words to search for')
    const nn = countOption(options.limit, '--limit')
    const items = await crumbs.search(defined({ q, ...filterOf(options), nn }), principal)
    if (session.json) session.outJson(items)
    else for (const line of crumbLines(items)) session.out(line)
    if (items.length === 0) session.note('Nothing was found.')
    return 0
  },

  async update({ session, crumbs, principal, options }, [given, change]) {
    const id = neededArgument(given, 'crumbs update', 'the id of a breadcrumb')
    const body = bodyOf(change, options)
    if (Object.keys(body).length === 0)
      throw new UsageError('Nothing to change was given.', 'Give --title, --tag, --context or a JSON object.')
    const { version } = await crumbs.update(id, body, principal, versionOf(options))
    return shown({ session, crumbs, principal, options }, id, `Now at version ${version}.`)
  },

  async delete({ session, crumbs, principal, options }, [given]) {
    const id = neededArgument(given, 'crumbs delete', 'the id of a breadcrumb')
    await crumbs.remove(id, principal, versionOf(options))
    if (session.json) session.outJson({ ok: true, id })
    else session.note(`Deleted ${id}.`)
    return 0
  },

  async history({ session, crumbs, principal }, [given]) {
    const id = neededArgument(given, 'crumbs history', 'the id of a breadcrumb')
    const versions = await (await crumbs.open()).crumbs.history(id, principal)
    session.json ? session.outJson(versions) : session.out(JSON.stringify(versions, null, 2))
    return 0
  },

  async watch({ session, crumbs, principal, options }) {
    const { since, type } = options
    if (type !== undefined && !eventTypes.includes(type))
      throw new UsageError(`--type is one of ${eventTypes.join(', ')}, not "${type}".`)
    if (since !== undefined && !/^\d{1,15}$/.test(since))
      throw new UsageError(`--since takes the number of an event, not "${since}".`)
    let left = countOption(options.count, '--count') ?? Number.POSITIVE_INFINITY
    const { schema, tags } = filterOf(options)
    const events = await crumbs.follow(
      {
        schema,
        tags,
        type: type === undefined ? undefined : (`breadcrumb.${type}` as EventType),
        since,
        signal: session.signal,
      },
      principal,
    )
    session.note('Watching; Ctrl-C ends it.')
    // The store's own timer lets a process end that has nothing else to do; this one has.
    const alive = setInterval(() => {}, 60_000)
    try {
      for await (const event of events) {
        session.out(session.json ? JSON.stringify(event) : eventLine(event))
        if (--left <= 0) return 0
      }
      return session.signal.aborted ? 130 : 0
    } finally {
      clearInterval(alive)
    }
  },
}

async function shown({ session, crumbs, principal }: Deed, id: string, note: string): Promise<number> {
  if (session.json) session.outJson(await crumbs.get(id, principal))
  else session.out(id)
  session.note(note)
  return 0
}

/** The document given, overlaid by what the options say. */
function bodyOf(given: string | undefined, options: Options): { [name: string]: unknown } {
  const whole = given === undefined ? {} : readParams(given, 'The breadcrumb')
  if (!isPlainObject(whole)) throw new UsageError('A breadcrumb is a JSON object.')
  const { title, schema, tag, context, ttl } = options
  const seconds = ttl === undefined ? undefined : countOption(ttl, '--ttl')
  const said = defined({
    title,
    schema_name: schema,
    tags: tag,
    context: context === undefined ? undefined : readParams(context, '--context'),
    ttl_seconds: seconds,
  })
  return { ...whole, ...said }
}

function filterOf({ schema, tag }: Options): { schema?: string; tags?: readonly string[] } {
  return { schema, tags: tag }
}

function versionOf({ ifMatch }: Options): number | null {
  return parseIfMatch(ifMatch)
}
