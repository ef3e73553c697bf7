// Stands at the end of a list and asks for more when it comes into sight.
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../words/say.ts'

export function MoreBelow({ onSeen }: { onSeen(): void }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) onSeen()
    })
    observer.observe(element.current!)
    return () => observer.disconnect()
  })
  return (
    <div ref={element} class="muted row">
      <span class="spinner" aria-hidden="true" /> {say('Older ones…')}
    </div>
  )
}
