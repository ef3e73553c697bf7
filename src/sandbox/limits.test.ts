// Limits held by the kernel where a cgroup can be made, and by sampling where not.
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { engines, FencedCrib, hasFence, noCgroup, noEngine } from '../../test/helpers/fenced.ts'
import { proves } from '../../test/helpers/proves.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { probeCgroups } from './cgroup/find-cgroups.ts'

const home = probeCgroups().found
const cribs = {
  cgroup: new FencedCrib(),
  watch: new FencedCrib({ probe: noCgroup }),
  'cgroup, launcher': new FencedCrib({ engine: 'launcher' }),
  'watch, launcher': new FencedCrib({ engine: 'launcher', probe: noCgroup }),
  'watch, no engine': new FencedCrib({ probe: { ...noCgroup, ...noEngine } }),
  'cgroup, no engine': new FencedCrib({ probe: noEngine }),
}
afterAll(() => Promise.all(Object.values(cribs).map((crib) => crib.close())))

/** Fills memory step by step and touches every page. */
const hog = 'my @a; while (1) { push @a, "x" x 8_000_000; select undef, undef, undef, 0.01 }'
const perl = (crib: FencedCrib, script: string) => ({
  file: '/usr/bin/perl',
  args: ['-e', script],
  cwd: crib.project,
  env: {},
})

const withCgroup = ['cgroup', 'cgroup, launcher', 'cgroup, no engine'] as const
const withWatch = ['watch', 'watch, launcher', 'watch, no engine'] as const
const usable = (name: string) => !name.startsWith('cgroup') || home?.parents.memory !== undefined
const hasWall = (name: string) =>
  name.includes('no engine') || (name.includes('launcher') ? engines.includes('launcher') : hasFence)

describe.each([...withCgroup, ...withWatch])('with %s', (name) => {
  const crib = cribs[name]

  it.skipIf(!usable(name) || !hasWall(name))('a memory hog ends with MEMORY_LIMIT', async () => {
    verifies('C38')
    await expect(crib.run(perl(crib, hog), { memoryMb: 96 })).rejects.toMatchObject({ code: 'MEMORY_LIMIT' })
  })

  it.skipIf(!usable(name) || !hasWall(name))('a hog in a child process counts too', async () => {
    const script = `if (my $pid = fork) { waitpid $pid, 0; exit 3 } ${hog}`
    await expect(crib.run(perl(crib, script), { memoryMb: 96 })).rejects.toMatchObject({
      code: 'MEMORY_LIMIT',
    })
  })

  it.skipIf(!usable(name) || !hasWall(name))('a tool within its limits is left alone', async () => {
    const ended = await crib.run(perl(crib, 'my $a = "x" x 20_000_000; print length $a'), { memoryMb: 96 })
    expect(ended.stdout.text).toBe('20000000')
  })
})

describe('labels', () => {
  it.skipIf(home?.parents.memory === undefined || home.parents.pids === undefined)(
    'a cgroup enforces memory and processes, the watch does so partly',
    () => {
      verifies('C121')
      const held = cribs.cgroup.wrap(cribs.cgroup.shell('true'), { cpuPercent: 50 })
      held.release?.()
      expect(held.enforcement.layers).toContain('cgroup')
      expect(held.enforcement.dimensions).toMatchObject({ memory: 'enforced', processes: 'enforced' })
      const seen = cribs.watch.wrap(cribs.watch.shell('true'), { cpuPercent: 50 })
      expect(seen.enforcement.dimensions).toMatchObject({ memory: 'partial', cpu: 'partial' })
    },
  )
})

describe.skipIf(!hasFence)('processes', () => {
  const bomb =
    'my $n = 0; while (defined(my $p = fork)) { if (!$p) { sleep 30; exit } last if ++$n >= 200 } print $n'

  it.skipIf(home?.parents.pids === undefined)('the cgroup stops a fork bomb at the limit', async () => {
    proves('limit-processes')
    const ended = await cribs.cgroup.run(perl(cribs.cgroup, bomb), { processes: 20 })
    expect(Number(ended.stdout.text)).toBeLessThan(20)
  })

  it('the watch ends a fork bomb with PROCESS_LIMIT', async () => {
    proves('limit-processes')
    await expect(
      cribs.watch.run(perl(cribs.watch, `${bomb}; sleep 30`), { processes: 20 }),
    ).rejects.toMatchObject({ code: 'PROCESS_LIMIT' })
  })
})

describe('the share of the processor', () => {
  /** Processor time used in a second of wall time, as a share. */
  const spin = 'my $end = time + 2; 1 while time < $end; my ($u, $s) = times; print $u + $s'

  it.each(['cgroup', 'watch', 'watch, no engine'] as const)('is held by %s', async (name) => {
    verifies('C39')
    if (!hasWall(name) || (name === 'cgroup' && home?.parents.cpu === undefined)) return
    const ended = await cribs[name].run(perl(cribs[name], spin), { cpuPercent: 20 })
    // Up to two seconds of spinning would use two; a fifth of that is 0.4.
    expect(Number(ended.stdout.text)).toBeLessThan(1)
  })
})

describe('survivors', () => {
  const flee = (mark: string) =>
    `(setsid sh -c 'sleep ${mark}; :' >/dev/null 2>&1 </dev/null &); setsid sleep ${mark} >/dev/null 2>&1 </dev/null & echo ok`

  function alive(mark: string): string[] {
    return readdirSync('/proc').filter((name) => {
      try {
        return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`sleep\0${mark}`)
      } catch {
        return false
      }
    })
  }

  it.skipIf(!hasFence)('a PID namespace leaves none, whatever session they chose', async () => {
    proves('no-survivors')
    const mark = `311.${process.pid}`
    expect((await cribs.watch.run(flee(mark))).stdout.text).toBe('ok\n')
    // The kernel kills them with the first process of the namespace; they take a moment to be gone.
    await expect.poll(() => alive(mark)).toEqual([])
  })

  it.skipIf(home?.parents.pids === undefined)(
    'a cgroup leaves none where there is no namespace',
    async () => {
      const mark = `312.${process.pid}`
      const crib = cribs['cgroup, no engine']
      expect((await crib.run(flee(mark))).stdout.text).toBe('ok\n')
      await expect.poll(() => alive(mark)).toEqual([])
    },
  )

  it('leaves no control group behind', async () => {
    const mine = () =>
      [...new Set(Object.values(home?.parents ?? {}))].flatMap((folder) =>
        readdirSync(folder).filter((name) => name.startsWith(`toolcrib-${process.pid}-`)),
      )
    await expect.poll(mine).toEqual([])
  })
})
