// A small safe template language in the manner of Handlebars: `{{path}}`, `{{{path}}}`, `{{#each list}}`,
// `{{#if value}} … {{else}} … {{/if}}`, `{{#unless}}`, `{{this}}`, `{{@index}}`, `{{@key}}`, `../`.
// Nothing is escaped, nothing is called, and only own properties are read.
import { Effort } from './effort.ts'

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: string }
  | {
      readonly kind: 'block'
      readonly name: string
      readonly path: string
      readonly body: Node[]
      readonly otherwise: Node[]
    }

interface Scope {
  readonly value: unknown
  readonly index?: number
  readonly key?: string
  readonly outer?: Scope
}

const maxOutput = 1_048_576
const maxDepth = 32

/** Renders `template` over `data`; throws SyntaxError when the template is broken or its output too large. */
export function renderTemplate(template: string, data: unknown, effort = new Effort()): string {
  const out: string[] = []
  let length = 0
  const write = (text: string): void => {
    effort.spend(text.length)
    length += text.length
    if (length > maxOutput) throw new SyntaxError(`the output is longer than ${maxOutput} characters`)
    out.push(text)
  }
  effort.spend(template.length)
  render(parse(template), { value: data }, write, effort)
  return out.join('')
}

function parse(template: string): Node[] {
  const root: Node[] = []
  const open: { name: string; nodes: Node[]; block: Extract<Node, { kind: 'block' }> }[] = []
  let nodes = root
  let last = 0
  for (let at = template.indexOf('{{'); at !== -1; at = template.indexOf('{{', last)) {
    if (at > last) nodes.push({ kind: 'text', text: template.slice(last, at) })
    const isLongComment = template.startsWith('{{!--', at)
    const close = isLongComment ? '--}}' : template.startsWith('{{{', at) ? '}}}' : '}}'
    const end = template.indexOf(close, at + 2)
    if (end === -1) throw new SyntaxError(`{{ has no ${close}`)
    last = end + close.length
    const tag = template.slice(at + close.replace('--', '').length, end).trim()
    if (isLongComment || tag.startsWith('!')) continue
    if (tag.startsWith('#')) {
      const [name = '', ...path] = tag.slice(1).trim().split(/\s+/)
      if (!['each', 'if', 'unless', 'with'].includes(name) || path.length !== 1)
        throw new SyntaxError(`{{${tag}}} is not known`)
      if (open.length >= maxDepth) throw new SyntaxError(`blocks are nested deeper than ${maxDepth}`)
      const block = {
        kind: 'block' as const,
        name,
        path: path[0]!,
        body: [] as Node[],
        otherwise: [] as Node[],
      }
      nodes.push(block)
      open.push({ name, nodes, block })
      nodes = block.body
    } else if (tag === 'else' || tag === '^') {
      const inner = open.at(-1)
      if (!inner) throw new SyntaxError('{{else}} without a block')
      nodes = inner.block.otherwise
    } else if (tag.startsWith('/')) {
      const inner = open.pop()
      if (!inner || inner.name !== tag.slice(1).trim()) throw new SyntaxError(`{{${tag}}} closes nothing`)
      nodes = inner.nodes
    } else if (/^[^\s()|>&{}]+$/.test(tag)) nodes.push({ kind: 'value', path: tag })
    else throw new SyntaxError(`{{${tag}}} is not known`)
  }
  if (open.length > 0) throw new SyntaxError(`{{#${open.at(-1)!.name}}} is not closed`)
  if (last < template.length) nodes.push({ kind: 'text', text: template.slice(last) })
  return root
}

function render(nodes: readonly Node[], scope: Scope, write: (text: string) => void, effort: Effort): void {
  effort.spend(1)
  for (const node of nodes) {
    if (node.kind === 'text') {
      write(node.text)
      continue
    }
    effort.spend(node.path.length)
    if (node.kind === 'value') write(textOf(lookUp(node.path, scope)))
    else renderBlock(node, scope, write, effort)
  }
}

function renderBlock(
  node: Extract<Node, { kind: 'block' }>,
  scope: Scope,
  write: (text: string) => void,
  effort: Effort,
): void {
  const value = lookUp(node.path, scope)
  const isEmpty = !value || (Array.isArray(value) && value.length === 0)
  if (node.name === 'if' || node.name === 'unless')
    return render(isEmpty === (node.name === 'unless') ? node.body : node.otherwise, scope, write, effort)
  if (isEmpty || typeof value !== 'object') return render(node.otherwise, scope, write, effort)
  if (node.name === 'with') return render(node.body, { value, outer: scope }, write, effort)
  Object.entries(value).forEach(([key, item], index) =>
    render(node.body, { value: item, index, key, outer: scope }, write, effort),
  )
}

function lookUp(path: string, scope: Scope): unknown {
  let at: Scope | undefined = scope
  let rest = path
  while (rest.startsWith('../')) {
    at = at?.outer
    rest = rest.slice(3)
  }
  if (!at) return undefined
  if (rest === '@index') return at.index
  if (rest === '@key') return at.key
  if (rest === 'this' || rest === '.') return at.value
  let value = at.value
  for (const key of rest.replace(/^(this|\.)[./]/, '').split(/[./]/)) {
    const name = key.replace(/^\[(.*)\]$/, '$1')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** A value as text: nothing for what is missing, JSON for lists and objects. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
