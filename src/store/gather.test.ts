import { describe, expect, it } from 'vitest'
import { Gather } from './gather.ts'

describe('Gather', () => {
  it('sends together what is asked while an earlier question is under way', async () => {
    const sent: number[][] = []
    const gather = new Gather<number, number>(async (questions) => {
      sent.push([...questions])
      await new Promise((resolve) => setTimeout(resolve, 20))
      return questions.map((n) => n * 2)
    })
    const first = gather.ask(1)
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const later = [gather.ask(2), gather.ask(3)]
    expect(await Promise.all([first, ...later])).toEqual([2, 4, 6])
    expect(sent).toEqual([[1], [2, 3]])
  })

  it('never answers with what was sent before the question', async () => {
    let value = 0
    let isSent = false
    const gather = new Gather<null, number>(async (questions) => {
      const seen = value
      isSent = true
      await new Promise((resolve) => setTimeout(resolve, 20))
      return questions.map(() => seen)
    })
    const early = gather.ask(null)
    while (!isSent) await new Promise((resolve) => setImmediate(resolve))
    value = 1
    expect(await gather.ask(null)).toBe(1)
    expect(await early).toBe(0)
  })

  it('sends no more at once than it may', async () => {
    const sizes: number[] = []
    const gather = new Gather<number, number>(async (questions) => {
      sizes.push(questions.length)
      return questions
    }, 2)
    expect(await Promise.all([1, 2, 3, 4, 5].map((n) => gather.ask(n)))).toEqual([1, 2, 3, 4, 5])
    expect(sizes).toEqual([2, 2, 1])
  })

  it('tells all of a batch when it failed, and goes on', async () => {
    let isBroken = true
    const gather = new Gather<number, number>(async (questions) => {
      if (isBroken) throw new Error('away')
      return questions
    })
    const failed = await Promise.allSettled([gather.ask(1), gather.ask(2)])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isBroken = false
    expect(await gather.ask(3)).toBe(3)
  })
})
