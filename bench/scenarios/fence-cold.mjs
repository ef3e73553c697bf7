import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCrib } from '../the-build.mjs'

const starts = 20

/** What a process costs from start to end, with and without walls round it. */
export const scenario = {
  about: 'one start of /bin/true',
  unit: 'ms',
  run: { rounds: 9, warmUp: 1 },
  async setup() {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-bench-')))
    const crib = await openCrib({ root })
    const spec = { file: '/bin/true', args: [], cwd: root, env: { PATH: '/usr/bin:/bin' } }
    const profile = {
      network: { mode: 'none' },
      read: [root],
      write: [],
      hidden: [join(root, '.toolcrib')],
      readOnly: [
        join(root, 'toolcrib.yaml'),
        join(root, 'toolcrib.lock'),
        join(root, '.ai', 'config', 'keys'),
      ],
      subprocess: true,
      calls: [],
      memoryMb: 512,
      cpuPercent: null,
      processes: 64,
      outputBytes: 1_000_000,
    }
    // A project with every place that stays read-only to a writing tool.
    const places = ['.ai/tools', '.ai/config', 'skills', 'crumbs', '.git/hooks'].map((place) =>
      join(root, place),
    )
    for (const place of places) mkdirSync(place, { recursive: true })
    const guarded = {
      ...profile,
      write: [root],
      readOnly: [...profile.readOnly, ...places, join(root, '.git')],
    }
    const run = async (make) => {
      for (let index = 0; index < starts; index++) {
        const child = await crib.supervisor.start(make())
        child.stdin.end()
        const { code } = await child.exited
        // What the fence refused to start took no time.
        if (code !== 0) throw new Error(`/bin/true ended with ${code}`)
      }
    }
    const side = (make) => ({ operations: starts, work: () => run(make) })
    return {
      reference: 'no fence',
      sides: {
        'no fence': side(() => spec),
        'read only': side(() => crib.fence.wrap(spec, profile)),
        writing: side(() => crib.fence.wrap(spec, { ...profile, write: [root] })),
        'writing among tools': side(() => crib.fence.wrap(spec, guarded)),
        'one processor share': side(() => crib.fence.wrap(spec, { ...profile, cpuPercent: 50 })),
        'public network': side(() =>
          crib.fence.wrap(spec, { ...profile, network: { mode: 'public', hosts: [] } }),
        ),
        'wrap alone': {
          operations: 200,
          work: () => {
            for (let index = 0; index < 200; index++)
              crib.fence.wrap(spec, { ...profile, write: [root] }).release?.()
          },
        },
      },
      teardown: async () => {
        await crib.close()
        rmSync(root, { recursive: true, force: true })
      },
    }
  },
}
