// Scripts without a library for their arguments: `sys.argv[1]`, `process.argv[2]`, and what they say when one is missing.
import { paramName, type ScriptInterface, type ScriptParam } from './script-interface.ts'
import { readUsage } from './usage-text.ts'

/** `first`: the index of the first argument in the list of the language. */
export function readPlainArguments(text: string, list: string, first: number): ScriptInterface {
  const usage = readUsage(text, undefined, [])
  const named = usage && !usage.isByExample ? usage.params : []
  const options = (usage?.options ?? [])
    .filter(({ flag }) => isLookedFor(text, flag!))
    .map((option) => ({
      ...option,
      isRequired: usage!.demanded.includes(option.flag!) && option.type !== 'boolean',
    }))
  const escaped = list.replace('.', '\\.')
  const notes: string[] = []
  const found = new Map<number, ScriptParam>()
  const assigned = new RegExp(
    `(?:const|let|var)?\\s*(\\w+)(?:\\s*:\\s*\\w+)?\\s*=\\s*(int|float|Number|parseInt|parseFloat)?\\(?${escaped}\\[(\\d+)\\]`,
    'g',
  )
  for (const [, name, cast, digit] of text.matchAll(assigned)) {
    const index = Number(digit) - first
    if (index < 0 || found.has(index)) continue
    const line = text.slice(text.indexOf(`${list}[${digit}]`)).split('\n')[0]!
    const isOptional = /\belse\b|\?\?|\|\|/.test(line)
    const fallback = /(?:\belse|\?\?|\|\|)\s*(?:(['"])(.*?)\1|(-?\d+(?:\.\d+)?))/.exec(line)
    const type = cast === undefined ? 'string' : /int/i.test(cast) ? 'integer' : 'number'
    const value =
      fallback?.[3] === undefined ? fallback?.[2] : type === 'string' ? fallback[3] : Number(fallback[3])
    found.set(index, {
      name: paramName(name!),
      type,
      isRequired: !isOptional,
      fallback: value !== undefined && value !== '' ? value : undefined,
    })
  }
  const unpacked = new RegExp(
    `const\\s*\\[\\s*([^\\]]*?)\\]\\s*=\\s*${escaped}(?:\\.slice\\(${first}\\))?`,
  ).exec(text)?.[1]
  if (found.size === 0 && unpacked) {
    const parts = unpacked
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
    parts.forEach((part, index) => {
      const [name, fallback] = part.split('=').map((piece) => piece.trim())
      const value = fallback && /^(['"])(.*)\1$/.exec(fallback)?.[2]
      const isRest = name!.startsWith('...')
      found.set(index, {
        name: paramName(name!.replace('...', '')),
        type: 'string',
        isRequired: !isRest && fallback === undefined && new RegExp(`!\\s*${name}\\b`).test(text),
        ...(isRest ? { list: 'together' as const, count: {} } : {}),
        fallback: value || undefined,
      })
    })
  }
  const hasTest = new RegExp(`len\\(${escaped}\\)|${escaped}\\.length`).test(text)
  if (found.size === 0 && !unpacked && named.length === 0)
    for (const [index, param] of usedInPlace(text, escaped, first))
      found.set(index, { ...param, isRequired: param.isRequired && !hasTest })
  const loop = new RegExp(
    `(?:for\\s+(\\w+)\\s+in\\s+|=\\s*)${escaped}\\[1:\\]|${escaped}\\.slice\\(${first}\\)`,
  ).exec(text)
  const bare =
    named.length > 0 ? merge(named, found) : [...found].sort(([a], [b]) => a - b).map(([, param]) => param)
  if (bare.length === 0 && usage?.isByExample) bare.push(...usage.params)
  const exact = Number(
    new RegExp(`(?:len\\(${escaped}\\)|${escaped}\\.length)\\s*!==?\\s*(\\d+)`).exec(text)?.[1],
  )
  const params = [
    ...options,
    ...bare.map((param, i) => (i < exact - first ? { ...param, isRequired: true } : param)),
  ]
  if (params.length === 0 && loop && !usage)
    params.push({
      name: loop[1] ? `${paramName(loop[1])}s` : 'args',
      type: 'string',
      list: 'together',
      count: {},
      isRequired: false,
    })
  const isMentioned = text.includes(list)
  if (isMentioned && params.length === 0) notes.push(`It reads ${list} in a way that only running it tells.`)
  return { by: params.length > 0 ? list : undefined, commands: [{ words: [], params }], notes }
}

/** The script itself names the option, or takes whatever begins with dashes. */
function isLookedFor(text: string, flag: string): boolean {
  return new RegExp(`['"\`]${flag}(?:=?['"\`])|starts[Ww]ith\\(['"\`]-`).test(text)
}

/** `print(int(sys.argv[1]))`: arguments that no variable is made of, by number; those before a known one are there too. */
function usedInPlace(text: string, list: string, first: number): Map<number, ScriptParam> {
  const found = new Map<number, ScriptParam>()
  const used = new RegExp(
    `(?:\\b(int|float|Number|parseInt|parseFloat)\\()?${list}\\[(\\d+)\\](?=([^\\n]*))`,
    'g',
  )
  for (const [, cast, digit, rest] of text.matchAll(used)) {
    const index = Number(digit) - first
    if (index < 0 || index > 20 || found.has(index)) continue
    const type = cast === undefined ? 'string' : /int/i.test(cast) ? 'integer' : 'number'
    found.set(index, { name: `arg${index + 1}`, type, isRequired: !/\belse\b|\?\?|\|\|/.test(rest!) })
  }
  const last = Math.max(-1, ...found.keys())
  for (let index = 0; index < last; index++)
    if (!found.has(index)) found.set(index, { name: `arg${index + 1}`, type: 'string', isRequired: true })
  return found
}

/** The usage line has the names people know; the code has the types. */
function merge(named: readonly ScriptParam[], found: ReadonlyMap<number, ScriptParam>): ScriptParam[] {
  return named.map((param, index) => {
    const own = found.get(index)
    return own && !param.list
      ? {
          ...param,
          type: own.type,
          isRequired: param.isRequired && own.isRequired,
          ...(own.fallback === undefined ? {} : { fallback: own.fallback }),
        }
      : param
  })
}
