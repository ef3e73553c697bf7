// One entry of a map in a YAML file, put in or taken out by its lines, so that the rest stays as it was written.
import { isMap, isScalar, type Node, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml'
import type { JsonObject } from '../../tool/json.ts'

/** `entry` undefined takes it out. The text is known to be YAML. */
export function yamlWith(text: string, path: readonly string[], entry: JsonObject | undefined): string {
  const document = parseDocument<YAMLMap, false>(text)
  const map = document.getIn(path.slice(0, -1), true)
  const name = path.at(-1)!
  const lines = isMap(map) && map.flow !== true ? linesOf(text, map as YAMLMap<Node, Node>, name) : undefined
  if (lines) {
    const added =
      entry === undefined ? '' : indented(stringify({ [name]: entry }, { lineWidth: 0 }), lines.margin)
    const head = text.slice(0, lines.from)
    return `${head}${head === '' || head.endsWith('\n') ? '' : '\n'}${added}${text.slice(lines.to)}`
  }
  // A map that is made here would not know how to make the ones inside it; the document does.
  const whole = document as { contents: unknown }
  if (!isMap(whole.contents)) whole.contents = null
  if (map !== undefined && !isMap(map)) document.deleteIn(path.slice(0, -1)) // `extensions:` without a value
  if (entry === undefined) document.deleteIn(path)
  else document.setIn(path, document.createNode(entry))
  return document.toString({ lineWidth: 0 })
}

interface Lines {
  readonly margin: string
  readonly from: number
  readonly to: number
}

/** Where the entry stands, or could stand; undefined when that cannot be told by lines. */
function linesOf(text: string, map: YAMLMap<Node, Node>, name: string): Lines | undefined {
  const pairs = map.items as readonly Pair<Node, Node | null>[]
  const [first] = pairs
  const last = pairs.at(-1)
  if (!first?.key.range || !last) return undefined
  const margin = text.slice(lineStart(text, first.key.range[0]), first.key.range[0])
  if (margin.trim() !== '') return undefined
  const own = pairs.find(({ key }) => isScalar(key) && key.value === name)
  // The only entry: its map goes with it, as the whole document is written anew.
  if (own && pairs.length === 1) return undefined
  if (!own) return { margin, from: lineEnd(text, last), to: lineEnd(text, last) }
  return { margin, from: lineStart(text, own.key.range![0]), to: lineEnd(text, own) }
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** After the last line of its value. */
function lineEnd(text: string, { key, value }: Pair<Node, Node | null>): number {
  const end = value?.range?.[1] ?? key.range![1]
  if (text[end - 1] === '\n') return end
  const at = text.indexOf('\n', end)
  return at < 0 ? text.length : at + 1
}

function indented(text: string, margin: string): string {
  return text.replace(/^(?=.)/gm, margin)
}
