// A small safe template language in the manner of Handlebars: `{{path}}`, `{{{path}}}`, `{{#each list}}`,
// `{{#if value}} … {{else}} … {{/if}}`, `{{#unless}}`, `{{lookup map key}}`, `{{this}}`, `{{@index}}`, `{{@key}}`, `../`.
// Nothing is escaped, nothing is called, and only own properties are read.
import { Budget } from '../tool/budget.ts'
import { ownStep } from '../tool/path.ts'

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: string; readonly key?: string }
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

/**
 * What showing one breadcrumb may cost, about as much as the largest one holds. Hints come with the data, so anybody
 * who may write a breadcrumb writes them: a value looked at and a character written cost one each.
 */
export function viewBudget(): Budget {
  return new Budget({ steps: 4 * 1024 * 1024 })
}

/** Renders `template` over `data`; throws SyntaxError when the template is broken or its output too large. */
export function renderTemplate(template: string, data: unknown, budget = viewBudget()): string {
  const out: string[] = []
  let length = 0
  const write = (text: string): void => {
    budget.spend('steps', text.length)
    length += text.length
    if (length > maxOutput) throw new SyntaxError(`the output is longer than ${maxOutput} characters`)
    out.push(text)
  }
  budget.spend('steps', template.length)
  render(parse(template), { value: data }, write, budget)
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
    } else nodes.push(valueNode(tag))
  }
  if (open.length > 0) throw new SyntaxError(`{{#${open.at(-1)!.name}}} is not closed`)
  if (last < template.length) nodes.push({ kind: 'text', text: template.slice(last) })
  return root
}

function render(nodes: readonly Node[], scope: Scope, write: (text: string) => void, budget: Budget): void {
  budget.spend('steps', 1)
  for (const node of nodes) {
    if (node.kind === 'text') {
      write(node.text)
      continue
    }
    budget.spend('steps', node.path.length)
    if (node.kind === 'value') write(textOf(foundBy(node, scope)))
    else renderBlock(node, scope, write, budget)
  }
}

function renderBlock(
  node: Extract<Node, { kind: 'block' }>,
  scope: Scope,
  write: (text: string) => void,
  budget: Budget,
): void {
  const value = lookUp(node.path, scope)
  const isEmpty = !value || (Array.isArray(value) && value.length === 0)
  if (node.name === 'if' || node.name === 'unless')
    return render(isEmpty === (node.name === 'unless') ? node.body : node.otherwise, scope, write, budget)
  if (isEmpty || typeof value !== 'object') return render(node.otherwise, scope, write, budget)
  if (node.name === 'with') return render(node.body, { value, outer: scope }, write, budget)
  Object.entries(value).forEach(([key, item], index) =>
    render(node.body, { value: item, index, key, outer: scope }, write, budget),
  )
}

function valueNode(tag: string): Node {
  const [, path, key] = /^lookup\s+(\S+)\s+("[^"]*"|'[^']*'|\S+)$/.exec(tag) ?? []
  const names = [path ?? tag, key?.replace(/^(["']).*\1$/, 'text') ?? 'text']
  if (!names.every((name) => /^[^\s()|>&{}]+$/.test(name))) throw new SyntaxError(`{{${tag}}} is not known`)
  return path === undefined ? { kind: 'value', path: tag } : { kind: 'value', path, key: key! }
}

/** `{{lookup map key}}` is the member of the one that the other names; `key` may also be a text or a number. */
function foundBy({ path, key }: Extract<Node, { kind: 'value' }>, scope: Scope): unknown {
  const value = lookUp(path, scope)
  if (key === undefined) return value
  const quoted = /^(["'])(.*)\1$/.exec(key)?.[2]
  return ownStep(value, quoted ?? (/^\d+$/.test(key) ? key : textOf(lookUp(key, scope))))
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
