// `toolcrib subscriptions`: which tools react to events, how far behind they are, pause and go on.
import type { SubscriptionStatus } from '../../../automation/automation.ts'
import { pauseSubscriptions, storedSubscriptions } from '../../../automation/by-hand.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { actionOf, neededArgument } from '../actions.ts'
import type { CliCommand } from '../command.ts'
import type { Session } from '../session.ts'
import { columns, outStyle, plain } from '../style.ts'

type Action = (session: Session, tool: string | undefined) => Promise<number>

export const subscriptions: CliCommand = {
  words: ['list', 'show', 'pause', 'resume'],
  examples: [
    ['toolcrib subscriptions', 'which tools react to what, and how many events wait'],
    ['toolcrib subscriptions pause order_price', 'its events wait until `resume`, on all nodes'],
  ],
  define(command) {
    command
      .argument('[action]', 'list, show, pause or resume', 'list')
      .argument('[tool]', 'show, pause, resume: the tool')
  },
  run: (session, [word = 'list', tool]) => actionOf('subscriptions', actions, word)(session, tool),
}

const actions: { readonly [word: string]: Action } = {
  async list(session) {
    const all = await statuses(session)
    if (session.json) session.outJson({ subscriptions: all })
    else for (const line of columns(all.map(rowOf))) session.out(line)
    if (all.length === 0) session.note('No tool listens to events.')
    return 0
  },
  async show(session, tool) {
    const wanted = neededArgument(tool, 'subscriptions show', 'the id of a tool')
    const one = (await statuses(session)).find((each) => each.tool === wanted)
    if (!one)
      throw new ToolError('NOT_FOUND', `No tool "${wanted}" listens to events.`, {
        hint: 'See `toolcrib subscriptions`.',
      })
    if (session.json) session.outJson({ subscriptions: [one] })
    else session.out(JSON.stringify(one, null, 2))
    return 0
  },
  pause: (session, tool) => pause(session, tool, true),
  resume: (session, tool) => pause(session, tool, false),
}

async function pause(session: Session, given: string | undefined, paused: boolean): Promise<number> {
  const tool = neededArgument(given, `subscriptions ${paused ? 'pause' : 'resume'}`, 'the id of a tool')
  const crib = await session.open()
  const { crumbs } = await crib.crumbs.open()
  await pauseSubscriptions(crumbs, { tool, paused, tools: crib.catalog.tools }, session.principal)
  if (session.json) session.outJson({ tool, paused })
  else session.out(`${plain(tool)} ${paused ? 'is paused; its events wait' : 'goes on'}.`)
  return 0
}

async function statuses(session: Session): Promise<SubscriptionStatus[]> {
  const crib = await session.open()
  return storedSubscriptions(await crib.crumbs.store(), crib.catalog.tools)
}

function rowOf({ tool, on, lag, isPaused }: SubscriptionStatus): string[] {
  const state = isPaused ? outStyle.yellow('paused') : lag > 0 ? `${lag} waiting` : 'up to date'
  return [plain(tool), plain([...new Set(on.map((one) => one.schema_name))].join(', ')), state]
}
