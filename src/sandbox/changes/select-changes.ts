// The part of a change set that a person accepts (E9), with the folders that it needs.
import { type Change, type ChangeSet, transitionsOf } from './change-set.ts'

export function selectChanges(set: ChangeSet, isAccepted: (change: Change) => boolean): ChangeSet {
  const [accepted, refused] = [
    set.changes.filter(isAccepted),
    set.changes.filter((change) => !isAccepted(change)),
  ]
  const needed = new Set(accepted.flatMap(({ path }) => foldersAbove(path)))
  // What is not removed keeps the folders that it is in.
  const kept = new Set(
    refused.flatMap(transitionsOf).flatMap(({ path, before }) => (before ? foldersAbove(path) : [])),
  )
  const changes = set.changes.filter((change) => {
    const { path, before, after } = change
    if (before?.type === 'folder' && after?.type !== 'folder' && kept.has(path)) return false
    return isAccepted(change) || (after?.type === 'folder' && before?.type !== 'folder' && needed.has(path))
  })
  return { ...set, changes }
}

function foldersAbove(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
