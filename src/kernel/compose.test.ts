import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { makePrincipal } from '../tool/principal.ts'
import { makeTool } from '../tool/tool.ts'
import { Call } from './call.ts'
import { type Entry, makeEntry, type Next, runFrom } from './compose.ts'

const tool = makeTool({ id: 't', format: 'rye', tier: 'project', source: { file: null, digest: '' } })
const tick = () => new Promise((resolve) => setImmediate(resolve))

/** A call with these entries as its chain, and what they wrote down. */
function chainOf(...entries: Entry[]): Call {
  const call = new Call({
    id: 'c',
    tool,
    args: {},
    options: { principal: makePrincipal({ surface: 'cli' }) },
  })
  call.chain = entries
  return call
}

type Run = (call: Call, next: Next) => unknown

function wrapper(name: string, run: Run): Entry {
  return makeEntry({ name, kind: 'wrapper', run })
}

function check(name: string, run: (call: Call) => unknown): Entry {
  return makeEntry({ name, kind: 'check', run })
}

describe('a chain', () => {
  it('runs its entries in order and gives what the last one gave', () => {
    verifies('S26')
    const seen: string[] = []
    const call = chainOf(
      check('a', () => void seen.push('a')),
      makeEntry({ name: '$stage', kind: 'stage' }),
      wrapper('leaf', () => {
        seen.push('leaf')
        return 7
      }),
    )
    expect(runFrom(call, 0)).toBe(7)
    expect(seen).toEqual(['a', 'leaf'])
  })

  it.each([null, false, 0, ''])('ends with %j, and the rest is skipped', (value) => {
    verifies('S27')
    const call = chainOf(
      wrapper('a', () => value),
      wrapper('b', () => 'never'),
    )
    expect(runFrom(call, 0)).toBe(value)
    expect(call.cursor).toBe(0)
  })

  it('goes on behind an entry that returns undefined without calling next', () => {
    verifies('S28')
    const call = chainOf(
      wrapper('a', (_call, _next) => undefined),
      wrapper('b', () => 'b'),
    )
    expect(runFrom(call, 0)).toBe('b')
  })

  it('waits only where an entry does', async () => {
    const call = chainOf(
      check('now', () => {}),
      wrapper('leaf', () => 1),
    )
    expect(runFrom(call, 0)).toBe(1)
    const later = chainOf(
      check('later', () => tick()),
      wrapper('leaf', () => 1),
    )
    const pending = runFrom(later, 0)
    expect(pending).toBeInstanceOf(Promise)
    expect(await pending).toBe(1)
  })

  it('does not take what a check gives back for a result', async () => {
    const call = chainOf(
      check('a', async () => 'no result'),
      wrapper('leaf', () => 1),
    )
    expect(await runFrom(call, 0)).toBe(1)
  })

  it('throws what an entry throws, as the same object', async () => {
    verifies('S30')
    const error = new Error('boom')
    const throwing = () => {
      throw error
    }
    expect(() => runFrom(chainOf(check('a', throwing)), 0)).toThrow(error)
    const late = chainOf(check('a', async () => throwing()))
    await expect(runFrom(late, 0)).rejects.toBe(error)
  })

  it('keeps the time of an entry that takes some', async () => {
    const call = chainOf(
      check('quick', () => {}),
      wrapper('slow', async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return 1
      }),
    )
    await runFrom(call, 0)
    expect(call.spans.map(({ name }) => name)).toContain('slow')
  })
})

describe('next', () => {
  it('runs the rest inside the entry that calls it', async () => {
    verifies('S28')
    const seen: string[] = []
    const around = (name: string) =>
      wrapper(name, async (_call, next) => {
        seen.push(`${name}-in`)
        await next()
        seen.push(`${name}-out`)
      })
    const call = chainOf(
      around('a'),
      around('b'),
      wrapper('job', () => {
        seen.push('job')
        return 'done'
      }),
    )
    expect(await runFrom(call, 0)).toBe('done')
    expect(seen).toEqual(['a-in', 'b-in', 'job', 'b-out', 'a-out'])
  })

  it('gives the result at once where nothing waits', () => {
    const call = chainOf(
      wrapper('a', (_call, next) => `${next()}!`),
      wrapper('job', () => 'done'),
    )
    expect(runFrom(call, 0)).toBe('done!')
  })

  it('runs nothing the second time', async () => {
    verifies('S29')
    let runs = 0
    const job = wrapper('job', async () => {
      await tick()
      return ++runs
    })
    const call = chainOf(
      wrapper('a', async (_call, next) => (await Promise.all([next(), next()])).join()),
      job,
    )
    expect(await runFrom(call, 0)).toBe('1,1')
    expect(runs).toBe(1)
  })

  it('runs the rest once more when asked to, with result and error cleared', async () => {
    verifies('S29')
    let runs = 0
    const call = chainOf(
      wrapper('retry', async (_call, next) => {
        try {
          await next()
        } catch {
          await next({ again: true })
        }
      }),
      wrapper('job', () => {
        if (++runs === 1) throw new Error('first')
        return runs
      }),
    )
    expect(await runFrom(call, 0)).toBe(2)
    expect(call.error).toBeUndefined()
  })

  it('runs nothing once its entry is over', async () => {
    verifies('S29')
    let late: Next = () => undefined
    let runs = 0
    const call = chainOf(
      wrapper('a', (_call, next) => {
        late = next
        return 'early'
      }),
      wrapper('job', () => ++runs),
    )
    expect(runFrom(call, 0)).toBe('early')
    expect(late()).toBe('early')
    expect(late({ again: true })).toBe('early')
    expect(runs).toBe(0)
  })

  it('belongs to its entry although nobody waits for it', async () => {
    verifies('S29')
    const call = chainOf(
      wrapper('careless', (_call, next) => void next()),
      wrapper('job', async () => {
        await tick()
        return 'done'
      }),
    )
    expect(await runFrom(call, 0)).toBe('done')
  })

  it('lets an entry catch what the rest threw, and answer for it', async () => {
    verifies('S30')
    const call = chainOf(
      wrapper('guard', async (_call, next) => {
        try {
          await next()
        } catch (error) {
          return `caught:${(error as Error).message}`
        }
        return undefined
      }),
      wrapper('job', async () => {
        throw new Error('boom')
      }),
    )
    expect(await runFrom(call, 0)).toBe('caught:boom')
    expect(call.error).toBeUndefined()
  })

  it('of a tool that does not look leaves the failure to its entry', async () => {
    verifies('S30')
    const careless = makeEntry({
      name: 'tool',
      kind: 'middleware',
      runsTool: true,
      run: (call) => {
        Promise.resolve(call.turn!.run()).catch(() => {})
        return undefined
      },
    })
    const call = chainOf(
      careless,
      wrapper('job', async () => {
        await tick()
        throw new Error('late')
      }),
    )
    await expect(runFrom(call, 0)).rejects.toThrow('late')
  })
})

it('the turn of a call is that of the tool that is running', async () => {
  const turns: unknown[] = []
  const note = (name: string) =>
    makeEntry({
      name,
      kind: 'middleware',
      runsTool: true,
      async run(call, next) {
        const own = call.turn
        await next()
        turns.push(call.turn === own)
      },
    })
  const call = chainOf(
    note('a'),
    wrapper('limits', async (_call, next) => void (await next())),
    note('b'),
    wrapper('job', () => 1),
  )
  await runFrom(call, 0)
  expect(turns).toEqual([true, true])
})
