// Every source file that a module loads before it runs: its static imports and theirs. Types do not count.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const importLine = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'(\.[^']+)'/gm
const onlyTypes = /^(?:import|export)\s*\{(?:\s*type\s[^,}]+,?)+\s*\}\s*from/

/** Absolute paths, the given files included; `except` and what only they import is left out. */
export function staticClosure(files: readonly string[], except: readonly string[] = []): Set<string> {
  const found = new Set<string>()
  const left = new Set(except.map((file) => resolve(file)))
  const waiting = files.map((file) => resolve(file))
  const missing = [...waiting, ...left].find((file) => !existsSync(file))
  if (missing !== undefined) throw new Error(`There is no ${missing} to build.`)
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file) || left.has(file) || !existsSync(file)) continue
    found.add(file)
    for (const match of readFileSync(file, 'utf8').matchAll(importLine))
      if (!onlyTypes.test(match[0])) waiting.push(resolve(dirname(file), match[1]!))
  }
  return found
}
