// A component whose code comes when it is first drawn.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null
  return function Lazy(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(() => loaded)
    useEffect(() => {
      if (Part) return
      void load().then((part) => {
        loaded = part
        setPart(() => part)
      })
    }, [])
    return Part ? <Part {...props} /> : <span class="spinner" aria-hidden="true" />
  }
}
