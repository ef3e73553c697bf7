// Starts what reacts to events in a served crib, with the rights of whoever wrote each breadcrumb.
import type { Crib } from '../../crib.ts'
import type { Caller } from '../../tool/caller.ts'
import { callerOf, type Identity } from './identity.ts'
import type { Tokens } from './tokens.ts'

const cursorName = 'tokens:known'

/** A store that cannot be used leaves the tools callable; what is wrong is told, and asking for crumbs gives 503. */
export async function startEngines(
  crib: Crib,
  tokens: Tokens,
  options: { readonly bootstrap?: boolean },
): Promise<void> {
  try {
    const former = await formerTokens(crib, tokens)
    await crib.startEngines({
      bootstrap: options.bootstrap !== false,
      callerOf: (name) => writerOf(name, tokens, former),
    })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    crib.emit('note', { level: 'error', message: `Nothing reacts to breadcrumbs: ${message}` })
  }
}

/** A token's narrowing holds for what its crumbs set off, also after the token itself was taken away. */
function writerOf(name: string, tokens: Tokens, former: ReadonlySet<string>): Caller {
  const identity = tokens.named(name)
  if (identity) return callerOf(identity, 'event')
  if (former.has(name)) return callerOf(revoked(name), 'event')
  return { surface: 'event', name, isPublic: true }
}

function revoked(name: string): Identity {
  return { name, isAdmin: false, grants: [], allowedTools: '' }
}

/** Names of tokens that were configured once and are not now; remembered in the store. */
async function formerTokens(crib: Crib, tokens: Tokens): Promise<Set<string>> {
  const { cursors } = await crib.crumbs.store()
  const known = (await cursors.get(cursorName))?.note
  const names = new Set(Array.isArray(known) ? known.map(String) : [])
  for (const name of tokens.names) names.add(name)
  if (names.size > 0)
    await cursors.set(cursorName, { position: 0, working: 0, attempts: 0, note: [...names] })
  for (const name of tokens.names) names.delete(name)
  return names
}
