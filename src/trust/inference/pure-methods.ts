// What texts and lists become when code takes them apart, puts them together or decodes them: the usual ways to hide
// a name or an address from a reader.
import { decoded } from './decode.ts'
import { table } from './table.ts'
import {
  exact,
  given,
  hole,
  isExact,
  joined,
  madeOf,
  originOf,
  textOf,
  unknown,
  type Value,
} from './value.ts'

const maxItems = 5_000

/** The value of `of.name(…args)` where `of` is no module. */
export function methodResult(name: string, of: Value, args: readonly Value[]): Value {
  if (of.kind === 'list') return listMethod(name, of.items, args)
  if (of.kind !== 'text') return madeOf([of, ...args])
  const method = textMethods[name]
  const result = method?.(of.text, args, isExact(of))
  if (result === undefined) return madeOf([of, ...args])
  const origin = result.kind === 'text' ? (result.origin ?? of.origin) : undefined
  return result.kind === 'text' ? { ...result, origin } : result
}

type TextMethod = (text: string, args: readonly Value[], isWhole: boolean) => Value | undefined

const same: TextMethod = (text, _, isWhole) => (isWhole ? exact(text) : { ...given, text })

const textMethods: { readonly [name: string]: TextMethod } = table({
  join: (separator, [list]) =>
    list?.kind === 'list' && list.items.length < maxItems
      ? joined(
          list.items.flatMap((item, index) =>
            index === 0 ? [textOf(item)] : [exact(separator), textOf(item)],
          ),
        )
      : undefined,
  concat: (text, args, isWhole) => joined([isWhole ? exact(text) : { ...given, text }, ...args.map(textOf)]),
  replace: (text, [from, to]) =>
    isExact(from) && isExact(to) && from.text !== ''
      ? keeping(text.replaceAll(from.text, to.text))
      : undefined,
  replaceAll: (text, [from, to]) =>
    isExact(from) && isExact(to) && from.text !== ''
      ? keeping(text.replaceAll(from.text, to.text))
      : undefined,
  split: (text, [separator], isWhole) => (isWhole ? splitText(text, separator) : undefined),
  lower: (text) => keeping(text.toLowerCase()),
  toLowerCase: (text) => keeping(text.toLowerCase()),
  upper: (text) => keeping(text.toUpperCase()),
  toUpperCase: (text) => keeping(text.toUpperCase()),
  strip: (text) => keeping(text.trim()),
  trim: (text) => keeping(text.trim()),
  rstrip: (text) => keeping(text.trimEnd()),
  lstrip: (text) => keeping(text.trimStart()),
  encode: same,
  toString: (text: string, [how]: readonly Value[], isWhole: boolean) =>
    (isWhole && isExact(how) ? decoded(text, how.text) : undefined) ?? same(text, [], isWhole),
  valueOf: same,
  decode: (text, [how], isWhole) =>
    (isWhole && isExact(how) ? decoded(text, how.text) : undefined) ?? same(text, [], isWhole),
  format: (text, args) => {
    let index = 0
    const parts = text.split(/\{[^{}]*\}/)
    return joined(
      parts
        .flatMap((part, at) => (at === 0 ? [exact(part)] : [textOf(args[index++]), exact(part)]))
        .map(holed),
    )
  },
  charAt: (text, [at], isWhole) =>
    isWhole && at?.kind === 'number' ? exact(text.charAt(at.value)) : undefined,
  slice: (text, [from, to], isWhole) =>
    isWhole && from?.kind === 'number' && (to === undefined || to.kind === 'number')
      ? exact(text.slice(from.value, to?.kind === 'number' ? to.value : undefined))
      : undefined,
  repeat: (text, [times], isWhole) =>
    isWhole && times?.kind === 'number' && times.value < 1_000
      ? exact(text.repeat(Math.max(0, times.value)))
      : undefined,
  expanduser: (text) => keeping(text),
  resolve: same,
  absolute: same,
  joinpath: (text, args) => joinedPath([keeping(text), ...args]),
  with_name: () => given,
  rglob: same,
  glob: same,
})

function holed(value: ReturnType<typeof textOf>): ReturnType<typeof textOf> {
  return value.certainty === 'exact' && value.text.includes(hole) ? { ...given, text: value.text } : value
}

/** A text is known to its end when it has no hole. */
function keeping(text: string): ReturnType<typeof textOf> {
  return text.includes(hole) ? { ...given, text } : exact(text)
}

function splitText(text: string, separator: Value | undefined): Value {
  const parts =
    separator === undefined
      ? text.trim().split(/\s+/)
      : isExact(separator)
        ? text.split(separator.text)
        : undefined
  if (!parts || parts.length > maxItems) return unknown
  return { kind: 'list', items: parts.map((part) => exact(part)) }
}

function listMethod(name: string, items: readonly Value[], args: readonly Value[]): Value {
  switch (name) {
    case 'join':
      return items.length < maxItems
        ? joined(
            items.flatMap((item, index) =>
              index === 0 ? [textOf(item)] : [textOf(args[0] ?? exact(',')), textOf(item)],
            ),
          )
        : madeOf(items)
    case 'reverse':
      return { kind: 'list', items: [...items].reverse() }
    case 'concat':
      return {
        kind: 'list',
        items: [...items, ...args.flatMap((arg) => (arg.kind === 'list' ? arg.items : [arg]))],
      }
    case 'pop':
      return items.at(-1) ?? unknown
    case 'at':
      return (args[0]?.kind === 'number' ? items.at(args[0].value) : undefined) ?? unknown
    case 'slice':
    case 'filter':
    case 'sort':
      return { kind: 'list', items }
    default:
      return madeOf([{ kind: 'list', items }])
  }
}

/** Parts of a path; one that starts anew drops what stood before it. */
export function joinedPath(values: readonly Value[]): Value {
  const texts = values.map(textOf)
  const start = texts.findLastIndex(({ text }) => /^[/~]/.test(text))
  const parts = texts.slice(Math.max(0, start)).filter(({ text }) => text !== '')
  return joined(
    parts.flatMap((part, index) => {
      const before = parts[index - 1]
      return index === 0 || before?.text.endsWith('/') || part.text.startsWith('/')
        ? [part]
        : [exact('/'), part]
    }),
  )
}

/** The text of characters by their numbers. */
export function fromNumbers(items: readonly Value[]): Value {
  if (items.length > maxItems || !items.every((item) => item.kind === 'number')) return madeOf(items)
  return exact(
    items.map((item) => String.fromCodePoint(Math.min(0x10ffff, Math.max(0, item.value | 0)))).join(''),
  )
}

/** The text in the other direction. */
export function reversed(value: Value): Value {
  if (value.kind === 'list') return { kind: 'list', items: [...value.items].reverse() }
  if (!isExact(value)) return madeOf([value])
  return exact([...value.text].reverse().join(''), originOf(value))
}
