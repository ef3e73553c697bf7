// The variables that `${VAR}` in rye configuration may stand for: `.env` files of the user and the project, and
// what the operator exposes of the host's environment.
import { join } from 'node:path'
import type { Spaces } from '../../config/spaces.ts'
import { readBelow } from '../../files/open-below.ts'
import { readPlainFile } from '../../files/read-plain-file.ts'

/** Tells that a tool wrote a file, so that it counts for nothing. */
export type IsSetAside = (file: string, bytes: Uint8Array) => boolean
type Variables = ReadonlyMap<string, string>

const maxBytes = 1024 * 1024

/** Those of the project, the later files winning. A link that leads out of it says nothing of what may be shown. */
export function projectVariables({ project }: Pick<Spaces, 'project'>, isSetAside?: IsSetAside): Variables {
  return new Map(
    ['.ai/.env', '.env', '.env.local'].flatMap((path) =>
      variablesIn(join(project, path), readBelow(project, path, maxBytes), isSetAside),
    ),
  )
}

/** Those of the user, which go to tools that somebody vouches for (G19). */
export function userVariables({ userAi }: Pick<Spaces, 'userAi'>, isSetAside?: IsSetAside): Variables {
  const file = join(userAi, '.env')
  try {
    return new Map(variablesIn(file, Buffer.from(readPlainFile(file, maxBytes)), isSetAside))
  } catch {
    return new Map()
  }
}

/** A file that is absent, unreadable or set aside adds nothing. */
function variablesIn(file: string, bytes: Buffer | undefined, isSetAside?: IsSetAside): [string, string][] {
  return !bytes || isSetAside?.(file, bytes) ? [] : parseDotEnv(bytes.toString('utf8'))
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
