// The token of this tab. The link of `toolcrib serve` brings it once, in the fragment; it is moved to the tab's
// own storage and taken out of the address before anything else happens.
import { signal } from '@preact/signals'

const key = 'toolcrib-token'

/** The token in use; null asks for one. Taken as soon as this file is loaded: no other may see the address first. */
export const token = signal<string | null>(takeToken())

function takeToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get('token')
  if (given) {
    sessionStorage.setItem(key, given)
    history.replaceState(null, '', `${location.pathname}#/`)
  }
  return sessionStorage.getItem(key)
}

export function signIn(given: string): void {
  sessionStorage.setItem(key, given)
  token.value = given
}

export function signOut(): void {
  sessionStorage.removeItem(key)
  token.value = null
}
