// The line that ends a run that changed files (E17).
import type { Effects, Outcome } from '../../tool/outcome.ts'
import { noteStyle } from './style.ts'

export function effectLines({ effects, runId }: Pick<Outcome, 'effects' | 'runId'>): string[] {
  if (!effects) return []
  const said = fileCount(effects)
  const files = filesIn(effects)
  switch (effects.state) {
    case 'committed':
      return said === undefined ? [] : [`${said}. Undo: ${noteStyle.bold(`toolcrib undo ${shortId(runId)}`)}`]
    case 'held':
      return [
        `${said}, held: nothing is in place yet. Look: toolcrib runs show ${shortId(runId)} --diff`,
        `Then: toolcrib runs accept ${shortId(runId)}, or toolcrib runs reject ${shortId(runId)}`,
      ]
    case 'discarded':
      return said === undefined ? [] : [`${said}, thrown away: nothing is in place.`]
    case 'direct':
      return files === 0 ? [] : [`${counted(files)} changed directly: no undo (${effects.reason}).`]
    default:
      return []
  }
}

/** `3 files changed (+12 -4)`; undefined where none was. */
function fileCount(effects: Effects): string | undefined {
  const files = filesIn(effects)
  const { added, removed } = effects.lines
  return files === 0 ? undefined : `${counted(files)} changed (+${added} -${removed})`
}

function filesIn({ added, changed, deleted }: Effects): number {
  return added + changed + deleted
}

function counted(files: number): string {
  return `${files} file${files === 1 ? '' : 's'}`
}

/** What happened to the files, for the page of a run. */
export function effectWords(effects: Effects): string {
  const count = fileCount(effects) ?? 'none changed'
  return effects.state === 'committed' || effects.state === 'none' ? count : `${count}, ${effects.state}`
}

/** Run ids may be shortened: the time in them and a little chance tell one from the next. */
export function shortId(runId: string): string {
  return runId.length > 18 && !runId.includes('.') ? runId.slice(0, 18) : runId
}
