// Characters that nobody sees, shown by their number: controls and formats (bidirectional marks, zero-width, tags), line
// ends and tabs excepted.
import { type ComponentChildren, Fragment, options } from 'preact'

const invisible = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Variation_Selector}]/gu

/** Of these, those that draw letters in another order than they stand in. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g

export function showInvisible(text: string): string {
  return text.replace(invisible, numberOf)
}

/**
 * From now on no text on the page is drawn in another order than it stands in, wherever it comes from. Joiners and
 * variants of letters stay: they are as they should be in running text.
 */
export function showTurningEverywhere(): void {
  const before = options.vnode
  options.vnode = (node) => {
    const props = node.props as { children?: ComponentChildren }
    const isDrawn = typeof node.type === 'string' || node.type === Fragment
    if (isDrawn && turns(props.children)) props.children = straight(props.children)
    before?.(node)
  }
}

function turns(children: ComponentChildren): boolean {
  if (Array.isArray(children)) return children.some(turns)
  return typeof children === 'string' && children.search(turning) !== -1
}

function straight(children: ComponentChildren): ComponentChildren {
  if (Array.isArray(children)) return children.map(straight)
  return typeof children === 'string' ? children.replace(turning, numberOf) : children
}

function numberOf(character: string): string {
  return `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`
}
