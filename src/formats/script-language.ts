// Which language a script is written in: its shebang says so, or its ending.
import { basename, extname } from 'node:path'

export type ScriptLanguage = 'python' | 'javascript' | 'typescript' | 'shell' | 'other'

/** The program a shebang names, `env` and its options looked through. */
export function shebangProgram(text: string): string | undefined {
  const line = /^#!\s*(.+)$/m.exec(text.slice(0, 300))
  if (!line || !text.startsWith('#!')) return undefined
  const words = line[1]!.trim().split(/\s+/)
  const program = basename(words[0]!) === 'env' ? words.slice(1).find((word) => !/^-|=/.test(word)) : words[0]
  return program === undefined ? undefined : basename(program)
}

export function languageOf(path: string, program: string | undefined): ScriptLanguage {
  if (program !== undefined) {
    if (/^(python|pypy|uv)/.test(program)) return 'python'
    if (/^(node|nodejs|bun)$/.test(program)) return /ts$/.test(path) ? 'typescript' : 'javascript'
    if (/^(tsx|ts-node|deno)$/.test(program)) return 'typescript'
    if (/^(ba|da|z|k)?sh$/.test(program)) return 'shell'
    return 'other'
  }
  const ending = extname(path)
  if (ending === '.py') return 'python'
  if (/^\.[cm]?js$/.test(ending)) return 'javascript'
  if (/^\.[cm]?ts$/.test(ending)) return 'typescript'
  if (/^\.(sh|bash|zsh)$/.test(ending)) return 'shell'
  return 'other'
}
