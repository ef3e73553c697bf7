// The part of a change set that a person accepts (E9). Folders follow what is in them: they are made for what needs them,
// and removed with the last of it.
import { type Change, type ChangeSet, foldersAbove, listedChanges, transitionsOf } from './change-set.ts'

export function selectChanges(set: ChangeSet, isAccepted: (change: Change) => boolean): ChangeSet {
  const listed = new Set(listedChanges(set.changes))
  const accepted = [...listed].filter(isAccepted)
  const refused = [...listed].filter((change) => !isAccepted(change))
  const needed = new Set(accepted.flatMap(({ path }) => foldersAbove(path)))
  // What is not removed keeps the folders that it is in.
  const kept = new Set(
    refused.flatMap(transitionsOf).flatMap(({ path, before }) => (before ? foldersAbove(path) : [])),
  )
  const changes = set.changes.filter((change) => {
    const { path, before, after } = change
    if (before?.type === 'folder' && after?.type !== 'folder' && kept.has(path)) return false
    if (after?.type === 'folder' && before?.type !== 'folder' && needed.has(path)) return true
    return listed.has(change) ? isAccepted(change) : before !== undefined
  })
  return { ...set, changes }
}
