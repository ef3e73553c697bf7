// What a list says when there is nothing in it: what it would show, and how something gets there.
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface EmptyProps {
  readonly title: string
  readonly icon?: IconName
  readonly children?: ComponentChildren
}

export function Empty({ title, icon = 'box', children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  )
}
