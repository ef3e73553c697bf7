// One node of a fleet as a process of its own, on PostgreSQL and NATS, for tests that kill it. Bundled by the test
// that starts it. Arguments: store, bus, name, requests at once, and `keeper` for a tool that never ends.
import { openBus, openStore } from '../../../src/store/open-store.ts'
import { alice, Rig, type RigTool } from './rig.ts'

const [storeUrl, busUrl, name, concurrency, extra] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string?,
]

const store = await openStore({ store: storeUrl, bus: busUrl }, process.cwd())
const bus = await openBus(busUrl, store, (_, message) => process.stderr.write(`${name}: ${message}\n`))
const rig = new Rig(
  {
    job: {
      fn: (input) => new Promise((resolve) => setTimeout(resolve, 20, { n: (input as { n: number }).n })),
    },
    ...(extra === 'keeper' ? { keeper: keeper() } : {}),
    watch: {
      details: { subscriptions: [{ schema_name: 'note.v1' }] },
      // What it saw is written down as a crumb, so that the feed itself holds the order.
      fn: async (_input, session) => {
        const event = session.request.trigger_event as { title?: string }
        await rig.crumbs.create(
          { title: String(event.title), schema_name: 'seen.v1', context: { node: name } },
          { ...alice, tool: 'watch' },
        )
      },
    },
  },
  { store, clock: { ...store.clock, advance: async () => {}, jump: () => {} } },
)
await rig.start({
  bus,
  // A machine of its own, as far as the others can tell: nobody sees that its process is gone.
  node: `${name}.${process.pid}.0.${Date.now().toString(36)}`,
  schedules: 'builtin',
  runsPerMinute: 1_000_000,
  concurrency: Number(concurrency),
  nodeName: name,
  bootstrap: extra === 'keeper',
})
process.stdout.write('ready\n')
process.on('SIGTERM', async () => {
  await rig.open.close()
  await bus.close()
  await store.close()
  process.exit(0)
})

/** Says that it is alive until it is stopped, as a crumb each time. */
function keeper(): RigTool {
  return {
    details: { bootstrap: { enabled: true, mode: 'continuous', priority: 50, wait_for: [], input: {} } },
    fn: async (_input, _session, call) => {
      while (!call.signal.aborted) {
        await rig.crumbs.create({ title: name, schema_name: 'alive.v1', context: {} }, alice).catch(() => {})
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
  }
}
