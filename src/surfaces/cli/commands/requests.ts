// `toolcrib requests`: runs that were asked for by breadcrumb, what became of them, and the same once more.
import { type RequestStatus, requestById, requestStatuses } from '../../../automation/by-hand.ts'
import { retryRequest } from '../../../automation/retry-request.ts'
import { actionOf, countOption, neededArgument } from '../actions.ts'
import type { CliCommand } from '../command.ts'
import type { Session } from '../session.ts'
import { uniqueStart } from '../short-id.ts'
import { columns, outStyle, plain } from '../style.ts'

interface Options {
  readonly limit?: string
  readonly failed?: boolean
}

type Action = (session: Session, id: string | undefined, options: Options) => Promise<number>

export const requests: CliCommand = {
  words: ['list', 'show', 'retry'],
  examples: [
    ['toolcrib requests', 'the latest, with what became of them'],
    ['toolcrib requests list --failed', 'those that failed'],
    ['toolcrib requests retry <id>', 'a new request with the same tool and input'],
  ],
  define(command) {
    command
      .argument('[action]', 'list, show or retry', 'list')
      .argument('[id]', 'id of the request, or a beginning of it that is unique')
      .option('--failed', 'list: only those that failed')
      .option('--limit <n>', 'list: how many (20)')
  },
  run: (session, [word = 'list', id], options: Options) =>
    actionOf('requests', actions, word)(session, id, options),
}

const actions: { readonly [word: string]: Action } = {
  async list(session, _id, { failed, limit }) {
    const all = await latest(session, countOption(limit, '--limit') ?? 20)
    const shown = failed ? all.filter(({ state }) => state === 'failed') : all
    if (session.json) session.outJson({ requests: shown })
    else for (const line of columns(shown.map(rowOf))) session.out(line)
    if (shown.length === 0)
      session.note(failed ? 'No request failed.' : 'No run was asked for by breadcrumb yet.')
    return 0
  },
  async show(session, id) {
    const request = await found(session, id, 'show')
    if (session.json) session.outJson({ requests: [request] })
    else session.out(JSON.stringify(request, null, 2))
    return 0
  },
  async retry(session, id) {
    const request = await found(session, id, 'retry')
    const { crumbs } = await (await session.open()).crumbs.open()
    const made = await retryRequest(crumbs, request.id, session.principal)
    if (session.json) session.outJson({ request: request.id, retriedAs: made.id })
    else session.out(`${plain(request.tool)} is asked for again: ${made.id}. A running server takes it up.`)
    return 0
  },
}

async function latest(session: Session, limit: number): Promise<RequestStatus[]> {
  const { crumbs } = await (await session.open()).crumbs.open()
  return requestStatuses(crumbs, { limit, principal: session.principal })
}

async function found(session: Session, id: string | undefined, word: string): Promise<RequestStatus> {
  const wanted = neededArgument(id, `requests ${word}`, 'the id of a request')
  const known = uniqueStart(await latest(session, 1000), wanted, (request) => request.id)
  if (known) return known
  const { crumbs } = await (await session.open()).crumbs.open()
  return requestById(crumbs, wanted, session.principal)
}

function rowOf({ id, tool, state, createdAt, error }: RequestStatus): string[] {
  const paint = state === 'failed' ? outStyle.red : state === 'done' ? outStyle.green : outStyle.yellow
  return [
    outStyle.dim(createdAt.slice(0, 19).replace('T', ' ')),
    paint(state),
    plain(tool),
    plain(error ?? ''),
    outStyle.dim(id),
  ]
}
