// Commits of other processes that touch the same path (E12). The open journals say who has which paths in hand: whoever
// finds a complete one beside his own complete one knows that at least one of the two sees the other. The older run goes
// first, and nobody waits for a commit of other files.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isLiveNode, thisNode } from '../../config/node-identity.ts'
import type { Journal, OpenJournal } from './journal.ts'

const lookEveryMs = 2
/** Longer than a commit takes; a process that was suspended in the middle of one stops nobody for ever. */
const patienceMs = 10_000

/** The name of the folder of a journal: who works on it, and for which run. */
export function journalName(run: string): string {
  return `${thisNode()}_${encodeURIComponent(run)}`
}

/** The parts of such a name. */
export function ownerOfJournal(name: string): { readonly node: string; readonly run: string } {
  const [node = '', run = ''] = name.split('_', 2)
  return { node, run: decodeURIComponent(run) }
}

/** Resolves when nobody else has one of its paths in hand; gives the folder of a journal that it must make way for. */
export async function waitForOthers(own: OpenJournal): Promise<string | undefined> {
  const name = basename(own.folder)
  const untilMs = performance.now() + patienceMs
  for (;;) {
    const other = overlapping(own)
    if (other === undefined || performance.now() > untilMs) return undefined
    if (isOlder(basename(other), name)) return other
    await delay(lookEveryMs)
  }
}

/** Resolves when a journal is closed. */
export async function closedBy(folder: string): Promise<void> {
  const untilMs = performance.now() + patienceMs
  const { node } = ownerOfJournal(basename(folder))
  while (existsSync(join(folder, 'journal')) && isLiveNode(node) && performance.now() < untilMs)
    await delay(lookEveryMs)
}

function isOlder(one: string, other: string): boolean {
  const [first, second] = [ownerOfJournal(one), ownerOfJournal(other)]
  return first.run === second.run ? first.node < second.node : first.run < second.run
}

function overlapping({ folder, transitions }: OpenJournal): string | undefined {
  const journals = dirname(folder)
  const others = readdirSync(journals).filter((name) => ownerOfJournal(name).node !== thisNode())
  if (others.length === 0) return undefined
  const own = new Set(transitions.map(({ path }) => path))
  const found = others.find(
    (name) =>
      pathsOf(join(journals, name)).some((path) => own.has(path)) && isLiveNode(ownerOfJournal(name).node),
  )
  return found === undefined ? undefined : join(journals, found)
}

/** None of a journal that is still being written: its owner will look for others after that, and find ours. */
function pathsOf(folder: string): string[] {
  try {
    const { transitions } = JSON.parse(readFileSync(join(folder, 'journal'), 'utf8')) as Journal
    return transitions.map(({ path }) => path)
  } catch {
    return []
  }
}
