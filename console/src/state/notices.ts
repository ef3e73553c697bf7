// Short notices: seen for a few seconds, and read out by screen readers.
import { signal } from '@preact/signals'
import { ApiError } from '../api/client.ts'

export interface Notice {
  readonly id: number
  readonly text: string
  readonly isError: boolean
}

export const notices = signal<readonly Notice[]>([])
let next = 1

export function announce(text: string, isError = false): void {
  const notice = { id: next++, text, isError }
  notices.value = [...notices.value.slice(-3), notice]
  setTimeout(
    () => {
      notices.value = notices.value.filter((each) => each !== notice)
    },
    isError ? 8_000 : 4_000,
  )
}

// What nobody waits for must not fail unheard: a button that was pressed while the server is away says so.
addEventListener('unhandledrejection', (event) => {
  if (!(event.reason instanceof ApiError)) return
  event.preventDefault()
  announce(event.reason.message, true)
})
