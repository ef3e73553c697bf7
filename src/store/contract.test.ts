// What every store and every bus must do, run against all of them: memory, SQLite, PostgreSQL, and PostgreSQL with
// JetStream. What is missing on this machine is skipped with its reason.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Deployed, deployments } from '../../test/helpers/store/deployments.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { verifyRuns } from '../runs/verify-runs.ts'
import { cribPrincipal, makePrincipal, type Principal } from '../tool/principal.ts'
import type { Work } from './bus.ts'
import type { CrumbDraft } from './crumb.ts'
import { type RunEntry, type RunFilter, type RunRow, rowOf } from './run-record.ts'
import type { ToolLimits } from './store.ts'

const alice: Principal = makePrincipal({ surface: 'http', name: 'alice' })
const eve: Principal = makePrincipal({ surface: 'http', owner: 'elsewhere', name: 'eve' })

function draft(more: Partial<CrumbDraft> = {}): CrumbDraft {
  return { title: 'Note', context: { n: 1 }, tags: ['a'], visibility: 'team', sensitivity: 'low', ...more }
}

const response = (): CrumbDraft => draft({ title: 'Response', schema_name: 'tool.response.v1' })

for (const deployment of deployments()) {
  if (deployment.missing !== null) console.log(`Skipped for ${deployment.name}: ${deployment.missing}.`)
  describe.skipIf(deployment.missing !== null)(deployment.name, () => {
    let here: Deployed
    let opened: Deployed[] = []
    const open = async (): Promise<Deployed> => {
      const deployed = await deployment.open()
      opened.push(deployed)
      return deployed
    }

    beforeAll(() => deployment.begin())
    afterAll(() => deployment.end())
    beforeEach(async () => {
      deployment.fresh()
      here = await open()
    })
    afterEach(async () => {
      for (const one of opened) await one.close()
      opened = []
    })

    const { isShared } = deployment
    const request = (tool = 'job', more: { dedupeKey?: string } = {}) =>
      here.store.crumbs.create(draft({ schema_name: 'tool.request.v1', context: { tool } }), alice, {
        request: { tool, dedupeMs: 60_000, ...more },
      })

    /** Asks until there is work, as an engine that is woken up does. */
    const nextWork = async (
      node: string,
      deployed = here,
      limits: ToolLimits = {},
      leaseMs = 60_000,
    ): Promise<Work> => {
      for (;;) {
        const work = await deployed.bus.next({ node, leaseMs, limits, free: 1 })
        if (work) return work
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }

    /** Asks for a while and must get nothing. */
    const noWork = async (node: string, deployed = here, limits: ToolLimits = {}): Promise<void> => {
      for (let n = 0; n < 15; n++) {
        expect(await deployed.bus.next({ node, leaseMs: 60_000, limits, free: 1 })).toBeNull()
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }

    describe('crumbs', () => {
      it('come back as they were written, whatever is in them', async () => {
        const context = { text: 'a\0b \ud800 💡 "\\', deep: [{ x: null }], big: 1e300, '': true }
        const given = draft({
          context,
          tags: ['x y', 'é', '$1'],
          description: 'd',
          schema_name: 'note.v1',
          extra: { z: 1 },
        })
        const { id } = await here.store.crumbs.create(given, alice)
        expect(await here.store.crumbs.get(id)).toMatchObject({
          ...given,
          id,
          version: 1,
          created_by: 'alice',
          owner_id: 'local',
        })
      })

      it('keep every version, and refuse a change of an old one', async () => {
        const { crumbs } = here.store
        const { id } = await crumbs.create(draft(), alice)
        await crumbs.update(id, 1, draft({ title: 'Two' }), alice)
        await expect(crumbs.update(id, 1, draft({ title: 'Late' }), alice)).rejects.toMatchObject({
          code: 'VERSION_MISMATCH',
        })
        await expect(crumbs.update('nope', 1, draft(), alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
        expect((await crumbs.history(id)).map(({ version, title }) => [version, title])).toEqual([
          [2, 'Two'],
          [1, 'Note'],
        ])
      })

      it('of which several change one at once have exactly one winner', async () => {
        const { id } = await here.store.crumbs.create(draft(), alice)
        const tries = await Promise.allSettled(
          Array.from({ length: 8 }, (_, n) =>
            here.store.crumbs.update(id, 1, draft({ title: `t${n}` }), alice),
          ),
        )
        expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        expect((await here.store.crumbs.get(id))?.version).toBe(2)
      })

      it('are deleted with an event and are gone from lists', async () => {
        const { crumbs, events } = here.store
        const { id } = await crumbs.create(draft(), alice)
        expect(await crumbs.remove(id, null, alice, 'api')).toBe(true)
        expect(await crumbs.remove(id, null, alice, 'api')).toBe(false)
        expect(await crumbs.get(id)).toBeNull()
        expect((await crumbs.list({ viewer: null, limit: 10 })).crumbs).toEqual([])
        const log = await events.after({ after: 0, limit: 10 })
        expect(log.map(({ event }) => [event.type, event.version, event.reason])).toEqual([
          ['breadcrumb.created', 1, undefined],
          ['breadcrumb.deleted', 2, 'api'],
        ])
      })

      it('are found by tags, schema, viewer and words, newest first, page by page', async () => {
        const { crumbs } = here.store
        for (let n = 0; n < 7; n++)
          await crumbs.create(
            draft({ title: `n${n}`, schema_name: n % 2 ? 'odd.v1' : 'even.v1', tags: ['a', `n${n}`] }),
            alice,
          )
        await crumbs.create(draft({ title: 'Müller-Straße 5', tags: ['b'], visibility: 'private' }), alice)
        await crumbs.create(draft({ title: 'hidden', tags: ['b'] }), eve)
        const titles = async (query: object) =>
          (await crumbs.list({ viewer: alice, limit: 100, ...query })).crumbs.map(({ title }) => title)
        expect(await titles({ tags: ['a', 'n3'] })).toEqual(['n3'])
        expect(await titles({ schema: 'odd.v1' })).toEqual(['n5', 'n3', 'n1'])
        expect(await titles({ schemas: ['odd.*'] })).toEqual(['n5', 'n3', 'n1'])
        expect(await titles({ schemas: [] })).toEqual([])
        expect(await titles({ tags: ['b'] })).toEqual(['Müller-Straße 5'])
        expect(
          await titles({ tags: ['b'], viewer: makePrincipal({ surface: 'http', name: 'bob' }) }),
        ).toEqual([])
        expect(await titles({ words: 'muller 5' })).toEqual(['Müller-Straße 5'])
        expect(await titles({ words: '!!!' })).toEqual([])
        const first = await crumbs.list({ viewer: alice, tags: ['a'], limit: 4 })
        const second = await crumbs.list({ viewer: alice, tags: ['a'], limit: 4, after: first.next! })
        expect([...first.crumbs, ...second.crumbs].map(({ title }) => title)).toEqual([
          'n6',
          'n5',
          'n4',
          'n3',
          'n2',
          'n1',
          'n0',
        ])
        expect(second.next).toBeUndefined()
      })

      it('are ranked by a search, and what changed is found by its new words only', async () => {
        const { crumbs } = here.store
        const { id } = await crumbs.create(draft({ title: 'apple apple apple', context: {} }), alice)
        await crumbs.create(
          draft({ title: 'one apple among many other words of no interest', context: {} }),
          alice,
        )
        const found = await crumbs.search({ viewer: null, words: 'apple pear', limit: 10 })
        expect(found.map(({ crumb }) => crumb.title)[0]).toBe('apple apple apple')
        expect(found[0]!.score).toBeGreaterThan(found[1]!.score)
        await crumbs.update(id, 1, draft({ title: 'plum' }), alice)
        expect(await crumbs.search({ viewer: null, words: 'apple', limit: 10 })).toHaveLength(1)
        expect(await crumbs.search({ viewer: null, words: 'plum', limit: 10 })).toHaveLength(1)
        expect(await crumbs.search({ viewer: null, words: "' & | ! (", limit: 10 })).toEqual([])
      })

      it('past their time are invisible, and purged with an event', async () => {
        const { crumbs, events, clock } = here.store
        const { id } = await crumbs.create(draft({ ttl: new Date(clock.now() - 1_000).toISOString() }), alice)
        expect(await crumbs.get(id)).toBeNull()
        expect(await crumbs.purge(10)).toBe(1)
        expect(await crumbs.purge(10)).toBe(0)
        expect((await events.after({ after: 0, limit: 10 })).at(-1)!.event.reason).toBe('ttl')
      })

      it('with the same key are one crumb, also when they come together', async () => {
        const unique = { scope: 's', key: 'k', digest: 'd1' }
        const made = await Promise.all(
          Array.from({ length: 6 }, () => here.store.crumbs.create(draft(), alice, { unique })),
        )
        expect(made.filter(({ isNew }) => isNew)).toHaveLength(1)
        expect(new Set(made.map(({ id }) => id)).size).toBe(1)
        expect(made.find(({ isNew }) => !isNew)!.digest).toBe('d1')
        const expired = { scope: 's', key: 'old', expiresMs: here.store.clock.now() - 1 }
        expect(await here.store.crumbs.create(draft(), alice, { unique: expired })).toMatchObject({
          isNew: true,
        })
        expect(
          await here.store.crumbs.create(draft(), alice, { unique: { scope: 's', key: 'old' } }),
        ).toMatchObject({ isNew: true })
      })
    })

    describe('the feed', () => {
      it('has every write once, in order, without gaps, from many writers', async () => {
        const writers = isShared ? [here, await open(), await open()] : [here]
        await Promise.all(
          writers.flatMap(({ store }, writer) =>
            Array.from({ length: 40 }, (_, n) =>
              store.crumbs.create(draft({ title: `${writer}-${n}` }), alice),
            ),
          ),
        )
        const events = await here.store.events.after({ after: 0, limit: 1000 })
        expect(events.map(({ seq }) => seq)).toEqual(
          Array.from({ length: writers.length * 40 }, (_, n) => n + 1),
        )
        expect(new Set(events.map(({ event }) => event.title)).size).toBe(writers.length * 40)
        expect(await here.store.events.last()).toBe(writers.length * 40)
      })

      it.runIf(isShared)('is followed while others write, and nothing is skipped', async () => {
        const other = await open()
        const seen: number[] = []
        let isDone = false
        const reader = (async () => {
          while (!isDone || seen.length < 60) {
            const page = await here.store.events.after({ after: seen.at(-1) ?? 0, limit: 7 })
            seen.push(...page.map(({ seq }) => seq))
            await new Promise((resolve) => setImmediate(resolve))
          }
        })()
        await Promise.all(
          Array.from({ length: 30 }, () =>
            [here, other].map(({ store }) => store.crumbs.create(draft(), alice)),
          ).flat(),
        )
        isDone = true
        await reader
        expect(seen).toEqual(Array.from({ length: 60 }, (_, n) => n + 1))
      })

      it('wakes whoever waits, on this node and on others', async () => {
        const other = isShared ? await open() : here
        const woken = new Promise<void>((resolve) =>
          other.store.events.onAppend(
            () => void other.store.events.last().then((last) => last > 0 && resolve()),
          ),
        )
        await here.store.crumbs.create(draft(), alice)
        await woken
      })

      it('is read on by schema without looking twice at what passed by', async () => {
        const { crumbs, events } = here.store
        const ask = (after: number, limit = 10) => events.pageAfter({ after, limit, schemas: ['wanted.v1'] })
        expect(await ask(0)).toEqual({ events: [], upTo: 0 })
        for (const schema_name of ['other.v1', 'wanted.v1', 'wanted.v1', 'other.v1'])
          await crumbs.create(draft({ schema_name }), alice)
        const first = await ask(0, 1)
        expect(first.events.map(({ seq }) => seq)).toEqual([2])
        expect(first.upTo).toBe(2)
        const rest = await ask(first.upTo)
        expect(rest.events.map(({ seq }) => seq)).toEqual([3])
        expect(rest.upTo).toBe(4)
        expect(await ask(4)).toEqual({ events: [], upTo: 4 })
        expect((await events.pageAfter({ after: 0, limit: 10 })).events).toHaveLength(4)
      })

      it('shows who left a schema to those who ask for it, on this node and on others', async () => {
        const other = isShared ? await open() : here
        const schemas = new Set(['wanted.v1'])
        let rings = 0
        other.store.events.onAppend(() => rings++, schemas)
        for (const [writer, schema_name] of [
          [here, 'other.v1'],
          [other, undefined],
        ] as const) {
          const { crumbs } = writer.store
          const { id } = await crumbs.create(draft({ schema_name: 'wanted.v1' }), alice)
          const after = await here.store.events.last()
          // What was told of the create has arrived before the change is written.
          await new Promise((resolve) => setTimeout(resolve, 300))
          const before = rings
          await crumbs.update(id, 1, draft(schema_name === undefined ? {} : { schema_name }), alice)
          while (rings === before) await new Promise((resolve) => setTimeout(resolve, 5))
          const query = { after, limit: 10, schemas: ['wanted.v1'] }
          for (const read of ['after', 'pageAfter'] as const) {
            const ask = async (more: object) => {
              const page = await other.store.events[read]({ ...query, ...more })
              return ('events' in page ? page.events : page).map(({ event }) => event.schema_name)
            }
            expect(await ask({})).toEqual([])
            expect(await ask({ withLeavers: true })).toEqual([schema_name])
          }
        }
      })

      it('tells at once that nothing was written, by this store or another, where that can be told', async () => {
        const other = isShared ? await open() : here
        const { events } = other.store
        await here.store.crumbs.create(draft(), alice)
        const last = await events.last()
        for (const position of [last, last + 1]) expect(events.endsAt?.(position) ?? true).toBe(true)
        expect(events.endsAt?.(last - 1) ?? false).toBe(false)
        await here.store.crumbs.create(draft(), alice)
        expect(events.endsAt?.(last) ?? false).toBe(false)
      })

      it('tells at once of its own writes, however old a look may be', async () => {
        const { events, crumbs } = here.store
        await crumbs.create(draft(), alice)
        const last = await events.last()
        expect(events.endsAt?.(last, 60_000) ?? true).toBe(true)
        await crumbs.create(draft(), alice)
        expect(events.endsAt?.(last, 60_000) ?? false).toBe(false)
      })

      it('wakes those who wait for a schema whenever it is written', async () => {
        const other = isShared ? await open() : here
        const schemas = new Set<string>()
        let rings = 0
        other.store.events.onAppend(() => rings++, schemas)
        schemas.add('wanted.v1')
        for (const writer of [here, other]) {
          const before = rings
          await writer.store.crumbs.create(draft({ schema_name: 'wanted.v1' }), alice)
          while (rings === before) await new Promise((resolve) => setTimeout(resolve, 5))
        }
      })

      it('gives the chain of an event and the events of a crumb', async () => {
        const { crumbs, events } = here.store
        const { id } = await crumbs.create(draft(), alice)
        await crumbs.update(id, 1, draft({ title: 'Two' }), {
          ...cribPrincipal,
          root: '1',
          depth: 1,
          tool: 't',
        })
        await crumbs.create(draft({ title: 'else' }), alice)
        expect((await events.ofCrumb(id)).map(({ seq }) => seq)).toEqual([1, 2])
        expect((await events.chain('1', 10)).map(({ seq, event }) => [seq, event.causation.depth])).toEqual([
          [1, 0],
          [2, 1],
        ])
      })

      it('forgets old deleted crumbs with their history and keeps the living', async () => {
        const { crumbs, events } = here.store
        const dead = await crumbs.create(draft(), alice)
        await crumbs.create(draft({ title: 'alive' }), alice)
        await crumbs.remove(dead.id, null, alice, 'api')
        await crumbs.create(draft({ title: 'last' }), alice)
        expect(await events.trim(-1_000)).toBe(2)
        expect((await events.after({ after: 0, limit: 10 })).map(({ event }) => event.title)).toEqual([
          'alive',
          'last',
        ])
        expect(await events.horizon()).toBe(3)
      })
    })

    describe('work', () => {
      it('goes to one node, and the response ends it', async () => {
        const other = isShared ? await open() : here
        const { id } = await request()
        const work = await nextWork('one')
        expect(work.claimed).toMatchObject({ crumb: { id }, attempts: 1 })
        await noWork('two', other)
        expect(
          await here.store.requests.finish(id, 'one', response(), [draft({ title: 'letter' })], alice),
        ).toBe(true)
        await work.done()
        await noWork('one')
        const made = (await here.store.crumbs.list({ viewer: null, limit: 10 })).crumbs.map(
          ({ title }) => title,
        )
        expect(made.sort()).toEqual(['Note', 'Response', 'letter'])
      })

      it('gets one response even when two nodes believe that it is theirs', async () => {
        const { id } = await request()
        const { requests } = here.store
        await nextWork('one', here, {}, 1)
        let taken = await requests.take(id, 'two', 60_000)
        while (taken.state !== 'claimed') taken = await requests.take(id, 'two', 60_000)
        expect(await requests.finish(id, 'one', response(), [draft({ title: 'letter' })], alice)).toBe(false)
        const both = await Promise.all([1, 2].map(() => requests.finish(id, 'two', response(), [], alice)))
        expect(both.sort()).toEqual([false, true])
        expect(
          (await here.store.crumbs.list({ viewer: null, schema: 'tool.response.v1', limit: 10 })).crumbs,
        ).toHaveLength(1)
        expect(await requests.take(id, 'three', 60_000)).toEqual({ state: 'done' })
      })

      it('that is given back is done again later, by whoever is free', async () => {
        const { id } = await request()
        const work = await nextWork('one')
        const atMs = here.store.clock.now() + 200
        await here.store.requests.release(id, 'one', atMs)
        await work.later(atMs)
        const again = await nextWork('two')
        expect(again.claimed.attempts).toBe(2)
        expect(here.store.clock.now()).toBeGreaterThanOrEqual(atMs - 20)
      })

      it('of a dead node is done by another one', async () => {
        const { id } = await request()
        const { requests, leases } = here.store
        expect(await requests.take(id, 'dead', 60_000)).toMatchObject({ state: 'claimed' })
        await leases.acquire('something', 'dead', 60_000)
        expect(await leases.bury((node) => node === 'dead')).toBe(2)
        expect(await requests.take(id, 'heir', 60_000)).toMatchObject({
          state: 'claimed',
          claimed: { attempts: 2 },
        })
      })

      it('whose claim is renewed stays with its node', async () => {
        const { id } = await request()
        const { requests, clock } = here.store
        await requests.take(id, 'one', 100)
        await requests.renew('one', 60_000, [id])
        expect(await requests.take(id, 'two', 60_000)).toMatchObject({
          state: 'later',
          atMs: expect.any(Number),
        })
        const until = clock.now() + 150
        while (clock.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
        expect((await requests.take(id, 'two', 60_000)).state).toBe('later')
      })

      it('with the same key is done once', async () => {
        await request('job', { dedupeKey: 'same' })
        await request('job', { dedupeKey: 'same' })
        const work = await nextWork('one')
        await here.store.requests.finish(work.claimed.crumb.id, 'one', response(), [], alice)
        await work.done()
        await noWork('one')
      })

      it('whose crumb was deleted is nobody\u2019s', async () => {
        const { id } = await request()
        await here.store.crumbs.remove(id, null, alice, 'api')
        await noWork('one')
        expect(await here.store.requests.take('00000000-0000-7000-8000-000000000000', 'one', 1)).toEqual({
          state: 'unknown',
        })
      })

      it('of a tool with a limit does not run more often at once, on all nodes together', async () => {
        const other = isShared ? await open() : here
        for (let n = 0; n < 3; n++) await request('slow')
        const { id: free } = await request('quick')
        const limits = { slow: 2 }
        const held: Work[] = []
        for (const [node, deployed] of [
          ['one', here],
          ['two', other],
          ['one', here],
        ] as const)
          held.push(await nextWork(node, deployed, limits))
        expect(held.map(({ claimed }) => (claimed.crumb.context as { tool: string }).tool).sort()).toEqual([
          'quick',
          'slow',
          'slow',
        ])
        expect(held.some(({ claimed }) => claimed.crumb.id === free)).toBe(true)
        await noWork('two', other, limits)
        const done = held.find(({ claimed }) => (claimed.crumb.context as { tool: string }).tool === 'slow')!
        const node = held.indexOf(done) === 1 ? 'two' : 'one'
        await here.store.requests.finish(done.claimed.crumb.id, node, response(), [], alice)
        await done.done()
        expect((await nextWork('two', other, limits)).claimed.crumb.id).not.toBe(done.claimed.crumb.id)
      })

      it('asked for together is given out once each, also when a limit holds some back', async () => {
        const free = await Promise.all(Array.from({ length: 5 }, () => request('job')))
        const bound = await Promise.all(Array.from({ length: 3 }, () => request('rare')))
        const ids = [...free, ...bound].map(({ id }) => id)
        const take = (id: string) => here.store.requests.take(id, 'one', 60_000, { rare: 2 })
        const taken = await Promise.all([...ids, '00000000-0000-0000-0000-000000000000'].map(take))
        expect(taken.map(({ state }) => state).sort()).toEqual([
          ...Array.from({ length: 7 }, () => 'claimed'),
          'later',
          'unknown',
        ])
        for (const [index, one] of taken.entries())
          if (one.state === 'claimed') expect(one.claimed.crumb.id).toBe(ids[index])
        expect((await Promise.all(ids.map(take))).every(({ state }) => state === 'later')).toBe(true)
      })

      it('is counted', async () => {
        await request()
        await request()
        await nextWork('one')
        expect(await here.store.requests.counts()).toEqual({ waiting: 1, claimed: 1, done: 0 })
        for (;;) {
          const { depth, inFlight } = await here.bus.stats()
          if (depth + inFlight === 2) break
        }
      })
    })

    describe('places', () => {
      const take = (id: string, most: number, leaseMs = 60_000, tool = 'job', deployed = here) =>
        deployed.store.places.take(id, { tool, node: 'one', leaseMs, most })

      it('of a tool are as many as its limit, on all nodes together', async () => {
        const nodes = isShared ? [here, await open()] : [here]
        const tries = await Promise.all(
          Array.from({ length: 9 }, (_, n) => take(`p${n}`, 3, 60_000, 'job', nodes[n % nodes.length])),
        )
        expect(tries.filter(Boolean)).toHaveLength(3)
        expect(await take('other', 3, 60_000, 'another')).toBe(true)
        await here.store.places.release(`p${tries.indexOf(true)}`)
        expect(await take('next', 3)).toBe(true)
        expect(await take('more', 3)).toBe(false)
      })

      it('and claimed requests count together', async () => {
        const { id } = await request('job')
        const claim = () => here.store.requests.take(id, 'one', 60_000, { job: 2 })
        expect(await take('a', 2)).toBe(true)
        expect(await take('b', 2)).toBe(true)
        expect(await claim()).toMatchObject({ state: 'later' })
        expect(await here.store.requests.claim('one', 60_000, { job: 2 })).toBeNull()
        await here.store.places.release('a')
        expect(await claim()).toMatchObject({ state: 'claimed' })
        expect(await take('c', 2)).toBe(false)
      })

      it('are free again when nobody renews them', async () => {
        expect(await take('a', 1, 1)).toBe(true)
        while (!(await take('b', 1)));
        await here.store.places.renew('one', 60_000)
        expect(await take('c', 1)).toBe(false)
      })

      it('of a dead node are free', async () => {
        await take('a', 1)
        await here.store.leases.bury((node) => node === 'one')
        expect(await take('b', 1)).toBe(true)
      })
    })

    describe('leases', () => {
      it('have one holder, who can renew and release them', async () => {
        const { leases } = here.store
        const tries = await Promise.all(['a', 'b', 'c'].map((node) => leases.acquire('x', node, 60_000)))
        expect(tries.filter(Boolean)).toHaveLength(1)
        const holder = ['a', 'b', 'c'][tries.indexOf(true)]!
        expect(await leases.acquire('x', holder, 60_000)).toBe(true)
        expect((await leases.list()).filter(({ name }) => name === 'x')).toMatchObject([
          { name: 'x', node: holder },
        ])
        await leases.release('x', 'nobody')
        await leases.release('x', holder)
        expect(await leases.acquire('x', 'z', 60_000)).toBe(true)
      })

      it('that run out are free', async () => {
        const { leases } = here.store
        await leases.acquire('x', 'a', 1)
        while (!(await leases.acquire('x', 'b', 60_000)));
        expect(await leases.acquire('x', 'a', 60_000)).toBe(false)
      })

      it('guard the cursor of their name', async () => {
        const { leases, cursors } = here.store
        const at = (position: number) => ({ position, working: 0, attempts: 0, note: { p: position } })
        expect(await cursors.get('c')).toBeNull()
        await cursors.set('c', at(1))
        await leases.acquire('c', 'a', 60_000)
        expect(await cursors.set('c', at(2), 'a')).toBe(true)
        expect(await cursors.set('c', at(3), 'b')).toBe(false)
        expect(await cursors.get('c')).toEqual(at(2))
      })
    })

    it('nodes are listed while they say that they are there', async () => {
      const row = {
        node: 'n1',
        name: 'one',
        pid: 1,
        version: '0',
        url: null,
        startedMs: 1,
        running: 2,
        capacity: 3,
        isDraining: false,
      }
      await here.store.nodes.beat(row)
      await here.store.nodes.beat({ ...row, running: 4 })
      const listed = await here.store.nodes.list()
      expect(listed).toMatchObject([{ ...row, running: 4 }])
      expect(Math.abs(listed[0]!.seenMs - here.store.clock.now())).toBeLessThan(5_000)
      await here.store.nodes.remove('n1')
      expect(await here.store.nodes.list()).toEqual([])
    })

    it('secrets and seeds are kept', async () => {
      const { secrets, seeds } = here.store
      const row = {
        id: 'i',
        owner: 'local',
        name: 'KEY',
        scopeType: 'owner',
        scopeId: '',
        sealed: 's1',
        createdAt: 'c',
        updatedAt: 'u',
      }
      await secrets.insert(row)
      await expect(secrets.insert({ ...row, id: 'j' })).rejects.toMatchObject({ code: 'SECRET_EXISTS' })
      expect(await secrets.update('i', 's2', 'v')).toBe(true)
      expect(await secrets.list('local')).toEqual([{ ...row, sealed: 's2', updatedAt: 'v' }])
      expect(await secrets.remove('i')).toBe(true)
      expect(await secrets.get('i')).toBeNull()
      await seeds.set({ file: 'f', crumb: 'c', version: 1, digest: 'd' })
      await seeds.set({ file: 'f', crumb: 'c', version: 2, digest: 'e' })
      expect(await seeds.list()).toEqual([{ file: 'f', crumb: 'c', version: 2, digest: 'e' }])
      await seeds.remove('f')
      expect(await seeds.list()).toEqual([])
    })

    it('runs make one chain, whoever appends to it', async () => {
      const writers = isShared ? [here, await open()] : [here]
      const row = (runId: string): RunRow =>
        rowOf({
          kind: 'run',
          runId,
          tool: 't',
          caller: 'c',
          surface: 'cli',
          startedAt: '2025-01-01T00:00:00Z',
          ok: true,
        })
      await Promise.all(
        writers.flatMap(({ store }, writer) =>
          [1, 2, 3].map((n) => store.runs.append([row(`${writer}-${n}`), row(`${writer}-${n}b`)])),
        ),
      )
      expect(await verifyRuns(here.store.runs)).toMatchObject({ count: writers.length * 6 })
      expect((await here.store.runs.get('0-2b'))?.runId).toBe('0-2b')
      expect(await here.store.runs.list({ limit: 2 })).toHaveLength(2)
    })

    it('old runs go, and the rest of the chain is verifiable', async () => {
      const { runs } = here.store
      const row = (runId: string, startedAt: string): RunRow =>
        rowOf({ kind: 'run', runId, tool: 't', caller: 'c', surface: 'cli', startedAt, ok: true })
      const old = [1, 2, 3].map((n) => row(`old-${n}`, `2025-01-0${n}T00:00:00.000Z`))
      await runs.append([
        ...old,
        row('new', '2025-02-01T00:00:00.000Z'),
        row('late', '2025-01-01T00:00:00.000Z'),
      ])
      const { head } = await verifyRuns(runs)
      expect(await runs.trim('2025-01-31T00:00:00.000Z')).toBe(3)
      expect(await runs.trim('2025-01-31T00:00:00.000Z')).toBe(0)
      expect((await runs.list({ limit: 9 })).map(({ runId }) => runId)).toEqual(['late', 'new'])
      expect(await verifyRuns(runs)).toEqual({ ok: true, count: 2, removed: 3, head })
      await runs.append([row('next', '2025-02-02T00:00:00.000Z')])
      expect(await runs.trim('2026-01-01T00:00:00.000Z')).toBe(3)
      expect(await verifyRuns(runs)).toMatchObject({ ok: true, count: 0, removed: 6 })
      await runs.append([row('after', '2026-02-02T00:00:00.000Z')])
      expect(await verifyRuns(runs)).toMatchObject({ ok: true, count: 1, removed: 6 })
    })

    describe('figures of runs', () => {
      const at = (minute: number) => `2025-01-01T00:${String(minute).padStart(2, '0')}:30.000Z`
      const row = (n: number, more: Partial<RunEntry> = {}): RunRow =>
        rowOf({
          kind: 'run',
          runId: `r${n}`,
          tool: n % 2 === 0 ? 'even' : 'odd',
          caller: 'ada',
          surface: 'http',
          startedAt: at(n),
          ms: n,
          ok: true,
          ...more,
        })
      const failed = {
        ok: false,
        errorCode: 'TIMEOUT',
        outcome: { ok: false, error: { message: 'Too slow' } },
      }
      const whole = { since: at(0), until: '2025-01-02T00:00:00.000Z' }

      it('are those of all runs that match, exact to the percentile', async () => {
        verifies('V2')
        const { runs } = here.store
        await runs.append(Array.from({ length: 40 }, (_, n) => row(n + 1)))
        await runs.append([row(50, { ...failed, cost: { amount: 2, currency: 'EUR' } })])
        const stats = await runs.stats({ ...whole, bucketSeconds: 600, by: 'tool' })
        expect(stats.total).toEqual({ count: 41, failed: 1, p50: 21, p95: 39, totalMs: 870 })
        expect(stats.cost).toEqual([{ amount: 2, currency: 'EUR' }])
        expect(stats.buckets.map(({ at, count, failed }) => [at, count, failed])).toEqual([
          ['2025-01-01T00:00:00.000Z', 9, 0],
          ['2025-01-01T00:10:00.000Z', 10, 0],
          ['2025-01-01T00:20:00.000Z', 10, 0],
          ['2025-01-01T00:30:00.000Z', 10, 0],
          ['2025-01-01T00:40:00.000Z', 1, 0],
          ['2025-01-01T00:50:00.000Z', 1, 1],
        ])
        expect(stats.groups.map(({ key, count, p95, lastAt }) => [key, count, p95, lastAt])).toEqual([
          ['even', 21, 40, at(50)],
          ['odd', 20, 37, at(39)],
        ])
        const steps = await runs.stats({ ...whole, bucketSeconds: 1_800, by: 'tool', withCourse: true })
        expect(steps.groups.map(({ key, course }) => [key, course!.slice(0, 3)])).toEqual([
          ['even', [14, 7, 0]],
          ['odd', [15, 5, 0]],
        ])
        expect((await runs.stats({ ...whole, by: 'error' })).groups).toMatchObject([
          { key: 'TIMEOUT', count: 1 },
        ])
        const none = await runs.stats({ ...whole, tool: 'none', bucketSeconds: 60, by: 'caller' })
        expect(none).toEqual({
          total: { count: 0, failed: 0, p50: null, p95: null, totalMs: 0 },
          cost: [],
          buckets: [],
          groups: [],
        })
      })

      it('a list takes the same filters', async () => {
        verifies('V2')
        const { runs } = here.store
        await runs.append([
          row(1, { trigger: { schema: 'tick.v1' } }),
          row(2, { runId: 'r1.1', parent: 'r1' }),
          row(3, { runId: 'r11', ...failed }),
          row(4, { surface: 'mcp' }),
        ])
        const ids = async (filter: RunFilter) =>
          (await runs.list({ limit: 9, ...filter })).map(({ runId }) => runId).reverse()
        expect(await ids({ root: 'r1' })).toEqual(['r1', 'r1.1'])
        expect(await ids({ isTop: true })).toEqual(['r1', 'r11', 'r4'])
        expect(await ids({ trigger: 'tick.v1' })).toEqual(['r1'])
        expect(await ids({ error: 'TIMEOUT' })).toEqual(['r11'])
        expect(await ids({ minMs: 3 })).toEqual(['r11', 'r4'])
        expect(await ids({ q: 'TOO s' })).toEqual(['r11'])
        expect(await ids({ q: '%' })).toEqual([])
        expect(await ids({ since: at(2), until: at(4) })).toEqual(['r1.1', 'r11'])
        expect(await ids({ surfaces: ['mcp', 'cli'] })).toEqual(['r4'])
      })
    })

    it('what ended goes from the feed when it is old, its answered requests too; what lives stays', async () => {
      verifies('C114')
      const { crumbs, events, requests } = here.store
      const kept = await crumbs.create(draft(), alice)
      const gone = await crumbs.create(draft(), alice)
      const asked = await request()
      expect((await requests.claim('node', 60_000))?.crumb.id).toBe(asked.id)
      expect(await requests.finish(asked.id, 'node', response(), [], alice)).toBe(true)
      await crumbs.remove(gone.id, null, alice, 'api')
      await crumbs.remove(asked.id, null, alice, 'api')
      await crumbs.create(draft({ title: 'Last' }), alice)
      expect(await events.trim(60_000)).toBe(0)
      expect(await events.trim(-60_000)).toBe(4)
      expect((await events.ofCrumb(kept.id)).length).toBe(1)
      expect(await requests.counts()).toEqual({ waiting: 0, claimed: 0, done: 0 })
      expect(await events.horizon()).toBe((await events.last()) - 1)
    })

    it('of the catalog only the newest version stays; of other crumbs all do', async () => {
      verifies('C67')
      const { crumbs, events } = here.store
      const schemas = ['tool.catalog.v1', 'note.v1']
      const [catalog, note] = await Promise.all(
        schemas.map(async (schema_name) => {
          const { id } = await crumbs.create(draft({ schema_name }), alice)
          for (const version of [1, 2]) await crumbs.update(id, version, draft({ schema_name }), alice)
          return id
        }),
      )
      await crumbs.create(draft({ title: 'Last' }), alice)
      expect(await events.trim(-60_000)).toBe(2)
      expect((await events.ofCrumb(catalog!)).map(({ event }) => event.version)).toEqual([3])
      expect((await events.ofCrumb(note!)).map(({ event }) => event.version)).toEqual([1, 2, 3])
    })

    it('adds up what tools reached for, and forgets what was settled', async () => {
      verifies('L8')
      const row = {
        tool: 'a',
        kind: 'host',
        what: 'x:1',
        isDenied: true,
        address: '',
        count: 2,
        lastMs: Date.now(),
      }
      await here.store.accesses.add([row, { ...row, isDenied: false, count: 1 }, { ...row, tool: 'b' }])
      await here.store.accesses.add([{ ...row, address: '10.0.0.7', lastMs: row.lastMs + 5 }])
      expect(await here.store.accesses.list({ tool: 'a', isDenied: true })).toEqual([
        { ...row, address: '10.0.0.7', count: 4, lastMs: row.lastMs + 5 },
      ])
      expect((await here.store.accesses.list()).map(({ tool, isDenied }) => [tool, isDenied])).toEqual([
        ['a', true],
        ['a', false],
        ['b', true],
      ])
      await here.store.accesses.settle('a')
      expect((await here.store.accesses.list()).map(({ tool, isDenied }) => [tool, isDenied])).toEqual([
        ['a', false],
        ['b', true],
      ])
    })

    it('says that it is well, and after closing that it is not', async () => {
      await here.store.check()
      await here.bus.check()
      if (!isShared) return
      await here.close()
      await expect(here.store.check()).rejects.toMatchObject({ code: 'STORE_CLOSED' })
    })
  })
}
