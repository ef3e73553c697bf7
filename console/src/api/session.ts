// The token, shared by all tabs of this origin. The link of `toolcrib serve` brings it once, in the fragment; it is
// moved to the tab's own storage and taken out of the address before anything else happens. A new tab asks the others.
import { signal } from '@preact/signals'

const key = 'toolcrib-token'
const channel = new BroadcastChannel('toolcrib-session')
/** How long a new tab waits for another one to answer. */
const answerMs = 150

type Message = { readonly ask: true } | { readonly token: string } | { readonly signOut: true }

/** The token in use; null asks for one. Taken as soon as this file is loaded: no other may see the address first. */
export const token = signal<string | null>(takeToken())
/** True when a session ended by itself: the page stays, so that nothing typed is lost. */
export const hasEnded = signal(false)

function takeToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1))
  const value = given.get('token')
  if (value) {
    sessionStorage.setItem(key, value)
    const to = given.get('to') ?? '/'
    history.replaceState(null, '', `${location.pathname}#${to.startsWith('/') ? to : `/${to}`}`)
  }
  return sessionStorage.getItem(key)
}

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if ('ask' in data) {
    if (token.value) channel.postMessage({ token: token.value })
  } else if ('token' in data) {
    if (token.value === null) keep(data.token)
  } else forget()
})

/** Asks the other tabs for their token; resolves when one answered or none did in time. */
export function joinSession(): Promise<void> {
  if (token.value !== null) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = token.subscribe((value) => {
      if (value !== null) done()
    })
    const timer = setTimeout(done, answerMs)
    function done(): void {
      clearTimeout(timer)
      queueMicrotask(() => stop())
      resolve()
    }
    channel.postMessage({ ask: true })
  })
}

function keep(given: string): void {
  sessionStorage.setItem(key, given)
  hasEnded.value = false
  token.value = given
}

function forget(): void {
  sessionStorage.clear()
  hasEnded.value = false
  token.value = null
}

export function signIn(given: string): void {
  keep(given)
  channel.postMessage({ token: given })
}

/** Ends the session in every tab. */
export function signOut(): void {
  channel.postMessage({ signOut: true })
  forget()
}

/** The server refused the token: it expired or was taken away. What is on the page stays. */
export function sessionEnded(): void {
  sessionStorage.removeItem(key)
  hasEnded.value = true
  token.value = null
}
