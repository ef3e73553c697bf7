// Parses JavaScript and TypeScript without running it, and without letting a hostile file end the process.
import type { ParseResult } from 'oxc-parser'
import { lazyModule } from '../tool/lazy-module.ts'
import { isShallowScript, maxScriptDepth } from './script-depth.ts'

const oxc = lazyModule<typeof import('oxc-parser')>('oxc-parser')

export interface ScriptFault {
  readonly message: string
  /** Offset in the text. */
  readonly from: number
}

export interface ParsedScript {
  /** Null when the text could not be parsed at all. */
  readonly result: ParseResult | null
  readonly fault: ScriptFault | null
}

/** Why a text was not given to the parser: it would overflow its stack and end the process. */
export const tooDeep = `it nests deeper than ${maxScriptDepth} levels`

/** Parses an ES module; null when it is `tooDeep`. */
export function parseModule(path: string, text: string, lang: 'js' | 'ts'): ParseResult | null {
  return isShallowScript(text) ? oxc().parseSync(path, text, { lang, sourceType: 'module' }) : null
}

/**
 * Parses a file by its extension: `.ts` as TypeScript, anything else as JavaScript; `.mjs` as a module, `.cjs` as
 * a script, others by what they contain. Without types its tree is a third smaller.
 */
export function parseScript(path: string, text: string, hasTypes = true): ParsedScript {
  if (!isShallowScript(text)) return { result: null, fault: { message: tooDeep, from: 0 } }
  const lang = /\.[cm]?ts$/.test(path) ? 'ts' : 'js'
  let first: ParsedScript | null = null
  // Only the second and third reading know `return` and `await` outside functions.
  for (const sourceType of sourceTypes(path)) {
    const result = oxc().parseSync(path, text, { lang, sourceType, astType: hasTypes ? lang : 'js' })
    const error = result.errors.find((found) => found.severity === 'Error')
    if (!error) return { result, fault: null }
    first ??= { result, fault: { message: error.message, from: error.labels[0]?.start ?? 0 } }
  }
  return first!
}

function sourceTypes(path: string): readonly ('module' | 'commonjs' | 'unambiguous')[] {
  if (path.endsWith('.mjs')) return ['module']
  if (path.endsWith('.cjs')) return ['commonjs']
  return ['unambiguous', 'commonjs', 'module']
}
