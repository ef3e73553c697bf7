// A crib node as a process of its own, for tests that kill it. Talks in lines on stdout; takes commands as
// lines on stdin. Bundled by the test that starts it.
import { createInterface } from 'node:readline'
import { systemClock } from '../../../src/store/clock.ts'
import { alice, Rig, requestFor } from './rig.ts'

const dir = process.argv[2]!
const mode = process.argv[3]!

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
/** In mode `hang` a run never ends, in mode `slow` it takes a while, in mode `work` it ends at once. */
const finish = (): unknown => {
  if (mode === 'hang') return new Promise(() => setInterval(() => {}, 1000))
  return mode === 'slow' ? new Promise((resolve) => setTimeout(resolve, 50, 'done')) : 'done'
}

const rig = new Rig(
  {
    job: {
      fn: (input, session) => {
        say(`run ${session.request.id} ${(input as { n: number }).n}`)
        return finish()
      },
    },
    watch: {
      details: { subscriptions: [{ schema_name: 'note.v1' }] },
      fn: (_input, session) => {
        say(`event ${session.request.id} ${String(session.request.trigger_event['title'])}`)
        return finish()
      },
    },
  },
  { dir, clock: { ...systemClock, advance: async () => {}, jump: () => {} } },
)

createInterface({ input: process.stdin }).on('line', async (line) => {
  const [command, text = ''] = line.split(' ')
  if (command === 'request')
    say(`accepted ${(await rig.crumbs.create(requestFor('job', { n: Number(text) }), alice)).id}`)
  if (command === 'note')
    say(`stored ${(await rig.crumbs.create({ title: text, schema_name: 'note.v1', context: {} }, alice)).id}`)
  if (command === 'flood')
    for (let n = 0; ; n++) {
      const { id } = await rig.crumbs.create(
        { title: `f${n}`, schema_name: 'flood.v1', context: { n } },
        alice,
      )
      say(`stored ${id}`)
    }
})

if (mode !== 'idle') await rig.start({ runsPerMinute: 1_000_000, concurrency: mode === 'slow' ? 2 : 16 })
say('ready')
