// `toolcrib schedules`: what fires when, fire one now, pause and go on.
import { type ScheduleStatus, scheduleStatuses } from '../../../automation/automation.ts'
import { enableSchedule, fireNow } from '../../../automation/by-hand.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { actionOf, neededArgument } from '../actions.ts'
import type { CliCommand } from '../command.ts'
import type { Session } from '../session.ts'
import { uniqueStart } from '../short-id.ts'
import { columns, outStyle, plain } from '../style.ts'

type Action = (session: Session, id: string | undefined) => Promise<number>

export const schedules: CliCommand = {
  words: ['list', 'show', 'next', 'run', 'pause', 'resume'],
  examples: [
    ['toolcrib schedules', 'all of them, with the next time'],
    ['toolcrib schedules next <id>', 'the next five times'],
    ['toolcrib schedules run <id>', 'fires it now, beside its times; `toolcrib serve` reacts to the tick'],
    ['toolcrib schedules pause <id>', 'until `toolcrib schedules resume <id>`'],
  ],
  define(command) {
    command
      .argument('[action]', 'list, show, next, run, pause or resume', 'list')
      .argument('[id]', 'id of the schedule, or a beginning of it that is unique')
  },
  run: (session, [word = 'list', id]) => actionOf('schedules', actions, word)(session, id),
}

const actions: { readonly [word: string]: Action } = {
  async list(session) {
    const all = await statuses(session)
    if (session.json) session.outJson({ schedules: all })
    else for (const line of columns(all.map(rowOf))) session.out(line)
    if (all.length === 0) session.note('There is no schedule. Write one: see docs/automation.md.')
    return 0
  },
  async show(session, id) {
    const schedule = await found(session, id, 'show')
    if (session.json) session.outJson({ schedules: [schedule] })
    else session.out(JSON.stringify(schedule, null, 2))
    return 0
  },
  async next(session, id) {
    const { next, title, problem, enabled } = await found(session, id, 'next')
    if (session.json) session.outJson({ next })
    else for (const time of next) session.out(time)
    if (next.length === 0)
      session.note(
        `"${plain(title)}" never fires${problem ? `: ${plain(problem)}` : enabled ? '' : ': it is paused'}.`,
      )
    return 0
  },
  async run(session, id) {
    const schedule = await found(session, id, 'run')
    const { crumbs } = await (await session.open()).crumbs.open()
    const tick = await fireNow(crumbs, schedule.id, session.principal)
    if (session.json) session.outJson({ schedule: schedule.id, tick: tick.id })
    else session.out(`"${plain(schedule.title)}" fired: ${tick.id}.`)
    return 0
  },
  pause: (session, id) => enable(session, id, false),
  resume: (session, id) => enable(session, id, true),
}

async function enable(session: Session, id: string | undefined, enabled: boolean): Promise<number> {
  const schedule = await found(session, id, enabled ? 'resume' : 'pause')
  const { crumbs } = await (await session.open()).crumbs.open()
  if (schedule.enabled !== enabled)
    await enableSchedule(crumbs, { id: schedule.id, enabled }, session.principal)
  if (session.json) session.outJson({ schedule: schedule.id, enabled })
  else session.out(`"${plain(schedule.title)}" is ${enabled ? 'on' : 'paused'}.`)
  return 0
}

async function statuses(session: Session): Promise<ScheduleStatus[]> {
  return scheduleStatuses(await (await session.open()).crumbs.store(), Date.now())
}

async function found(session: Session, id: string | undefined, word: string): Promise<ScheduleStatus> {
  const wanted = neededArgument(id, `schedules ${word}`, 'the id of a schedule')
  const all = await statuses(session)
  const schedule = uniqueStart(all, wanted, ({ id }) => id)
  if (schedule) return schedule
  throw new ToolError('NOT_FOUND', `There is no schedule ${wanted}.`, { hint: 'See `toolcrib schedules`.' })
}

function rowOf({ id, title, enabled, nextAt, problem }: ScheduleStatus): string[] {
  const when = problem ? outStyle.red(plain(problem)) : enabled ? (nextAt ?? 'never') : 'paused'
  return [plain(title), when, outStyle.dim(id)]
}
