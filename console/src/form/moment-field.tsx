// A moment with its zone: the reader's own, or UTC. What is kept is RFC 3339 with the offset of that zone at that moment.
import { useState } from 'preact/hooks'
import { say } from '../words/say.ts'
import { controlProps, FieldFrame, type FieldProps } from './field-frame.tsx'
import { momentIn, wallTime, type Zone } from './moment.ts'

export function MomentField(props: FieldProps) {
  const text = typeof props.value === 'string' ? props.value : ''
  const [zone, setZone] = useState<Zone>(/z$/i.test(text) ? 'utc' : 'local')
  const set = (wall: string, chosen: Zone) =>
    props.onChange(wall === '' ? undefined : (momentIn(wall, chosen) ?? wall))
  return (
    <FieldFrame field={props}>
      <span class="row wrap">
        <input
          {...controlProps(props)}
          class="input short"
          type="datetime-local"
          step="1"
          value={wallTime(text, zone)}
          onInput={(event) => set(event.currentTarget.value, zone)}
        />
        <select
          class="input zone"
          aria-label={say('Zone of {name}', { name: props.label })}
          value={zone}
          onChange={(event) => {
            const chosen = event.currentTarget.value as Zone
            setZone(chosen)
            // The moment stays; only how it is written changes.
            if (text) set(wallTime(text, chosen), chosen)
          }}
        >
          <option value="local">{Intl.DateTimeFormat().resolvedOptions().timeZone}</option>
          <option value="utc">UTC</option>
        </select>
        {text && <code class="muted">{text}</code>}
      </span>
    </FieldFrame>
  )
}
