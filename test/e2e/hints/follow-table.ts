// Follows every hint of a table: it is shown, what it says is done once, and then all is well and it is not shown again.
import { expect, it } from 'vitest'
import { saysHint } from '../../helpers/source-hints.ts'
import { Place, type Table, take } from './place.ts'

export function followTable(table: Table): void {
  it.each(Object.entries(table))('%s', async (text, [shown, followed]) => {
    const at = new Place()
    const isSaid = (said: string) => saysHint({ file: '', text }, said)
    const first = await take(shown, at)
    expect(isSaid(first.said), `it said: ${first.said.slice(0, 1500)}`).toBe(true)
    const then = await take(followed, at)
    expect({ isOk: then.isOk, said: then.isOk ? '' : then.said.slice(0, 1500) }).toEqual({
      isOk: true,
      said: '',
    })
    expect(isSaid(then.said), `it still says: ${then.said.slice(0, 1500)}`).toBe(false)
  })
}
