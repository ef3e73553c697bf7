// `toolcrib completion`: a script for the shell, and the words that script asks for.

import { type CliCommand, UsageError } from '../command.ts'
import { commands } from '../registry.ts'
import type { Session } from '../session.ts'

const scripts: Record<string, string> = {
  bash: `_toolcrib() {
  local IFS=$'\\n'
  COMPREPLY=($(toolcrib completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _toolcrib toolcrib`,
  zsh: `#compdef toolcrib
_toolcrib() {
  local -a words_found
  words_found=("\${(@f)$(toolcrib completion words -- "\${(@)words[2,$CURRENT]}" 2>/dev/null)}")
  compadd -a words_found
}
compdef _toolcrib toolcrib`,
  fish: `complete -c toolcrib -f -a '(toolcrib completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
}

const takesTool = new Set(['show', 'why', 'run', 'test', 'approve', 'diff', 'convert', 'sign', 'verify'])

export const completion: CliCommand = {
  takesAnyOption: true,
  examples: [
    ['source <(toolcrib completion bash)', 'bash, in ~/.bashrc'],
    ['toolcrib completion zsh > ~/.zfunc/_toolcrib', 'zsh'],
    ['toolcrib completion fish | source', 'fish'],
  ],
  define(command) {
    command.argument('<shell>', 'bash, zsh or fish')
  },
  async run(session, [shell, ...words]) {
    if (shell === 'words') {
      for (const word of await candidates(session, words)) session.out(word)
      return 0
    }
    const script = scripts[shell!]
    if (!script) throw new UsageError(`There is no completion for "${shell}".`, 'Use bash, zsh or fish.')
    session.out(script)
    return 0
  },
}

/** The words that fit at the end of what was typed: commands, tool ids, a tool's parameters. */
async function candidates(session: Session, words: readonly string[]): Promise<string[]> {
  const typed = words.at(-1) ?? ''
  const fits = (word: string) => word.startsWith(typed)
  const [command, ref] = words
  if (words.length <= 1) return commands.map((entry) => entry.name).filter(fits)
  if (!takesTool.has(command!)) return []
  const crib = await session.open()
  if (words.length === 2)
    return crib
      .list({ all: command !== 'run' })
      .map((tool) => tool.id)
      .filter(fits)
  if (command !== 'run' || !typed.startsWith('-')) return []
  const params = Object.keys((crib.find(ref!).params?.['properties'] ?? {}) as object).map(
    (name) => `--${name}`,
  )
  return [...params, '--params', '--dry-run', '--timeout', '--approve', '--json'].filter(fits)
}
