// The parameters of an operation: their names among the tool's parameters, and how each is written in the request.
import { defined } from '../../tool/defined.ts'
import type { ApiParam, ParamPlace, ParamStyle } from '../../tool/plans/openapi-plan.ts'
import { type ApiDocument, isNode, type Located, type Node } from './document.ts'

/** A parameter as the document gives it, references followed. */
export interface GivenParam {
  readonly at: Located
  readonly node: Node
  readonly name: string
  readonly in: ParamPlace
}

const places = new Set(['path', 'query', 'header', 'cookie'])
/** Headers that other parts of a description say. */
const notParams = new Set(['accept', 'content-type', 'authorization'])

/** The parameters of an operation and of its path; the operation's own come before those of the same name and place. */
export function givenParams(
  document: ApiDocument,
  lists: readonly Located[],
  report: (at: Located, message: string) => void,
): GivenParam[] {
  const found = new Map<string, GivenParam>()
  for (const list of lists) {
    for (const index of Array.isArray(list.value) ? list.value.keys() : []) {
      const given = document.at(list, String(index))
      const at = document.resolve(given)
      const node = at?.value
      if (!at || !isNode(node)) {
        const ref = isNode(given.value) ? given.value['$ref'] : undefined
        report(given, `a parameter leads nowhere${ref === undefined ? '' : `: ${String(ref)}`}`)
        continue
      }
      const { name, in: place } = node
      // Swagger 2.0 has its bodies among the parameters.
      if (place === 'body' || place === 'formData') continue
      if (typeof name !== 'string' || name === '' || !places.has(String(place))) {
        report(at, 'a parameter has no name, or no place among path, query, header and cookie')
        continue
      }
      if (place === 'header' && notParams.has(name.toLowerCase())) continue
      const key = `${String(place)} ${name}`
      if (!found.has(key)) found.set(key, { at, node, name, in: place as ParamPlace })
    }
  }
  return [...found.values()]
}

/** Their names among the tool's parameters: a name of two places, or that of the body, gets its place in front. */
export function namedParams(
  params: readonly GivenParam[],
  taken: ReadonlySet<string>,
): Map<GivenParam, string> {
  const counts = new Map<string, number>()
  for (const { name } of params) counts.set(name, (counts.get(name) ?? 0) + 1)
  const names = new Map<GivenParam, string>()
  const used = new Set(taken)
  for (const param of params) {
    const isFree = counts.get(param.name) === 1 && !taken.has(param.name) && param.name !== '__proto__'
    const wanted = isFree ? param.name : `${param.in}_${param.name}`
    let as = wanted
    for (let n = 2; used.has(as); n++) as = `${wanted}_${n}`
    used.add(as)
    names.set(param, as)
  }
  return names
}

export function paramPlan(param: GivenParam, as: string): ApiParam {
  const { node, name, in: place } = param
  const content = isNode(node['content']) ? Object.keys(node['content'])[0] : undefined
  const { style, explode } = styleOf(node, place)
  return defined({
    name,
    as,
    in: place,
    style,
    explode,
    allowReserved: node['allowReserved'] === true ? true : undefined,
    content,
  })
}

const swaggerStyles: { readonly [format: string]: { style: ParamStyle; explode: boolean } } = {
  csv: { style: 'form', explode: false },
  ssv: { style: 'spaceDelimited', explode: false },
  tsv: { style: 'tabDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
  multi: { style: 'form', explode: true },
}

/** How Swagger 2.0 writes a list in a query or a form. */
export function swaggerStyle({ collectionFormat }: Node): { style: ParamStyle; explode: boolean } {
  const isKnown = typeof collectionFormat === 'string' && Object.hasOwn(swaggerStyles, collectionFormat)
  return swaggerStyles[isKnown ? collectionFormat : 'csv']!
}

const styles: { readonly [place in ParamPlace]: readonly ParamStyle[] } = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

function styleOf(node: Node, place: ParamPlace): { style: ParamStyle; explode: boolean } {
  const isSwagger = node['schema'] === undefined && node['content'] === undefined
  if (isSwagger) {
    const known = swaggerStyle(node)
    if (place === 'query') return known
    const isDelimited = known.style !== 'form'
    return { style: isDelimited ? known.style : styles[place][0]!, explode: false }
  }
  const style = styles[place].find((one) => one === node['style']) ?? styles[place][0]!
  const explode =
    typeof node['explode'] === 'boolean' ? node['explode'] : style === 'form' || style === 'deepObject'
  return { style, explode }
}

/** The schema of a parameter's value: its own, that of its media type, or itself in Swagger 2.0. */
export function paramSchema(document: ApiDocument, { at, node }: GivenParam): Located {
  if (node['schema'] !== undefined) return document.at(at, 'schema')
  if (isNode(node['content'])) {
    const [type] = Object.keys(node['content'])
    if (type !== undefined) return document.at(document.at(document.at(at, 'content'), type), 'schema')
  }
  const { name: _n, in: _i, required: _r, description: _d, collectionFormat: _c, ...schema } = node
  return { ...at, value: schema }
}
