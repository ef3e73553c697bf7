// A small label; its tone repeats in colour what its words say.
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'plain' | 'ok' | 'warn' | 'bad' | 'info' | 'accent'

interface BadgeProps {
  readonly tone?: Tone
  readonly icon?: IconName
  readonly title?: string
  readonly children: ComponentChildren
}

export function Badge({ tone = 'plain', icon, title, children }: BadgeProps) {
  return (
    <span class="badge" data-tone={tone} title={title}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  )
}
