// Verdicts as people read them: the word first, then the file, then who or why.
import type { TrustItem } from '../trust/verify-files.ts'
import type { Session } from './session.ts'
import { columns, outStyle, plain } from './style.ts'

export function printTrust(session: Session, items: readonly TrustItem[]): void {
  const rows = items.map((item) => [
    colourOf(item)(item.status),
    plain(item.path),
    outStyle.dim(plain(item.reason ?? [item.owner, item.keyId].filter(Boolean).join(' '))),
  ])
  // Each verdict is one line, its hint another.
  columns(rows, 0).forEach((line, index) => {
    session.out(line)
    const { hint } = items[index]!
    if (hint) session.out(`  ${outStyle.dim(plain(hint))}`)
  })
}

function colourOf({ status }: TrustItem): (text: string) => string {
  if (status === 'trusted') return outStyle.green
  return status === 'tampered' || status === 'invalid' ? outStyle.red : outStyle.yellow
}
