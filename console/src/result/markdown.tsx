// Markdown as a page. The HTML in it is escaped by the parser; of what the parser makes only known elements are drawn,
// and nothing is loaded from elsewhere.
import { micromark } from 'micromark'
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table'
import { type ComponentChildren, h } from 'preact'
import { useMemo } from 'preact/hooks'

const drawn = new Set(
  'p ul ol li code pre blockquote em strong hr br table thead tbody tr th td a h1 h2 h3 h4 h5 h6 img'.split(
    ' ',
  ),
)
const mostCharacters = 200_000
/** The headings of a result stand below those of the page. */
const firstLevel = 3

export function Markdown({ text }: { text: string }) {
  const page = useMemo(() => drawnFrom(text.slice(0, mostCharacters)), [text])
  return <div class="markdown">{page}</div>
}

function drawnFrom(text: string): ComponentChildren {
  const html = micromark(text, { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] })
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  const levels = [...body.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(({ tagName }) => Number(tagName[1]))
  const state = { shift: firstLevel - Math.min(6, ...levels), level: firstLevel - 1 }
  return childrenOf(body, state)
}

interface Headings {
  readonly shift: number
  level: number
}

function childrenOf(parent: Node, state: Headings): ComponentChildren[] {
  return [...parent.childNodes].map((node, index) => {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent
    if (!(node instanceof HTMLElement)) return null
    const name = node.tagName.toLowerCase()
    const inner = childrenOf(node, state)
    if (!drawn.has(name)) return inner
    if (name === 'img') return picture(node, index)
    if (name === 'a') return link(node, inner, index)
    if (/^h\d$/.test(name)) return h(headingName(name, state), { key: index }, inner)
    const align = node.getAttribute('align')
    return h(name, { key: index, ...(align ? { style: { textAlign: align } } : {}) }, inner)
  })
}

function headingName(name: string, state: Headings): string {
  state.level = Math.min(6, state.level + 1, Math.max(firstLevel, Number(name[1]) + state.shift))
  return `h${state.level}`
}

/** Only pictures that come along; any other would tell its server who reads. */
function picture(node: HTMLElement, key: number): ComponentChildren {
  const [source, words] = [node.getAttribute('src') ?? '', node.getAttribute('alt') ?? '']
  return /^data:image\//.test(source) ? (
    <img key={key} src={source} alt={words} class="result-image" />
  ) : (
    <span key={key} class="muted">
      [{words || source}]
    </span>
  )
}

function link(node: HTMLElement, inner: ComponentChildren[], key: number): ComponentChildren {
  const target = node.getAttribute('href') ?? ''
  if (!/^(https?:|mailto:)/i.test(target)) return <span key={key}>{inner}</span>
  return (
    <a key={key} href={target} target="_blank" rel="noreferrer noopener">
      {inner}
    </a>
  )
}
