// A text that may be of any length: its beginning, and more of it for who asks. Megabytes in one page stop the browser.
import { useState } from 'preact/hooks'
import { say } from '../words/say.ts'

const mostAtFirst = 4_000
const mostAtOnce = 100_000

export function LongText({ text }: { text: string }) {
  const [most, setMost] = useState(mostAtFirst)
  if (text.length <= most) return <>{text}</>
  return (
    <>
      {text.slice(0, most)}…{' '}
      <button type="button" class="button small quiet" onClick={() => setMost(most + mostAtOnce)}>
        {say('{n} more characters', { n: text.length - most })}
      </button>
    </>
  )
}
