// Watches the first call of a tool that was just added and writes the grants it needs, when the person agrees (L9).
import type { Crib } from '../../../crib/crib.ts'
import { type Learned, learnTool, saveLearned } from '../../learn/learn-tool.ts'
import type { Session } from '../session.ts'

/** Most times that a tool which got further is watched again. */
const maxRounds = 3

export interface AddedCall {
  readonly tool: string
  readonly params: unknown
  /** Agreed beforehand, with --learn. */
  readonly isWanted: boolean
}

/** What was granted; undefined when nobody agreed. */
export async function learnAdded(
  session: Session,
  crib: Crib,
  { tool, params, isWanted }: AddedCall,
): Promise<Learned | undefined> {
  if (!isWanted && !(await isAgreed(session, tool))) return undefined
  let learned: Learned | undefined
  for (let round = 0; round < maxRounds; round++) {
    learned = await learnTool(crib, crib.find(tool), {
      crib: session.cribOptions,
      calls: [{ name: 'as added', params, approved: true }],
      runs: 1,
      opened: [],
      isSensitiveWanted: false,
      verifies: false,
      mayOpen: false,
      principal: session.principal,
      signal: session.signal,
    })
    await saveLearned(crib, learned, session.principal)
    // With what it was denied it may get further, and reach for more.
    if (learned.proposal.missing.length === 0) break
  }
  return learned
}

async function isAgreed(session: Session, tool: string): Promise<boolean> {
  if (!session.mayAsk || session.yes) return false
  const { confirm } = await import('@clack/prompts')
  const message = `Run ${tool} once, watched, and write the grants it needs to toolcrib.yaml?`
  return (await confirm({ message })) === true
}
