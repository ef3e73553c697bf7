// A component whose code comes when it is first drawn.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { NotLoaded } from './not-loaded.tsx'

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null
  return function Lazy(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(() => loaded)
    const [fault, setFault] = useState<string | null>(null)
    useEffect(() => {
      if (Part) return
      load().then(
        (part) => {
          loaded = part
          setPart(() => part)
        },
        (error: Error) => setFault(error.message),
      )
    }, [])
    if (fault !== null) return <NotLoaded why={fault} />
    return Part ? <Part {...props} /> : <span class="spinner" aria-hidden="true" />
  }
}
