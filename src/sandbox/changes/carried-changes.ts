// A change set as the orders by which the engine of the fence brings it from one layer to another (E13).
import { type ChangeSet, transitionsOf } from './change-set.ts'
import { type Step, stepsOf } from './journal.ts'

/** A word of the engine, a path, and its mode or target. */
export type CarriedChange = readonly [
  word: 'remove' | 'make' | 'put' | 'link' | 'mode',
  path: string,
  value: string,
]

export function carriedChanges(set: ChangeSet): CarriedChange[] {
  return stepsOf({ transitions: set.changes.flatMap(transitionsOf) }).map(carried)
}

function carried({ do: what, path, before, after }: Step): CarriedChange {
  switch (what) {
    case 'open':
      return ['mode', path, String(before!.mode | 0o700)]
    case 'remove':
    case 'make':
      return [what, path, '']
    case 'mode':
      return ['mode', path, String(after!.mode)]
    case 'put':
      return after!.type === 'link' ? ['link', path, after!.target!] : ['put', path, String(after!.mode)]
  }
}
