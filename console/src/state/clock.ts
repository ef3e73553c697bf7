// The one clock of the console: everything that says how long ago something was looks at it.
import { signal } from '@preact/signals'

export const now = signal(Date.now())

setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 1_000)
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) now.value = Date.now()
})
