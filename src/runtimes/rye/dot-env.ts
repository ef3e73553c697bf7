// The variables that `${VAR}` in rye configuration may stand for: `.env` files of the user and the project, and
// what the operator exposes of the host's environment.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RuntimeEnv } from '../runtime.ts'

/**
 * Reads the four `.env` files, the later ones winning; a file that is absent, unreadable or set aside adds nothing.
 */
export function readDotEnv({
  spaces,
  isSetAside,
}: Pick<RuntimeEnv, 'spaces' | 'isSetAside'>): ReadonlyMap<string, string> {
  const files = [
    join(spaces.userAi, '.env'),
    join(spaces.project, '.ai', '.env'),
    join(spaces.project, '.env'),
    join(spaces.project, '.env.local'),
  ]
  const values = new Map<string, string>()
  for (const file of files) {
    let bytes: Buffer
    try {
      bytes = readFileSync(file)
    } catch {
      continue
    }
    if (isSetAside?.(file, bytes)) continue
    for (const [name, value] of parseDotEnv(bytes.toString('utf8'))) values.set(name, value)
  }
  return values
}

/** `NAME=value` lines; `export`, comments, single and double quotes (with `\n` inside double ones) are understood. */
function parseDotEnv(text: string): [string, string][] {
  const pairs: [string, string][] = []
  const line =
    /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|([^\r\n]*))/gm
  for (const match of text.replace(/\r\n?/g, '\n').matchAll(line)) {
    const [, name, double, single, plain] = match
    if (double !== undefined)
      pairs.push([name!, double.replace(/\\([\s\S])/g, (_, char) => (char === 'n' ? '\n' : char))])
    else pairs.push([name!, single ?? plain!.replace(/(^|[ \t])#.*$/, '').trimEnd()])
  }
  return pairs
}
