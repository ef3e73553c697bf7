// `toolcrib completion`: a script for the shell, and the words that script asks for.

import { type CliCommand, UsageError } from '../command.ts'
import { completionWords } from '../completion-words.ts'

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

export const completion: CliCommand = {
  takesAnyOption: true,
  words: Object.keys(scripts),
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
      for (const word of await completionWords(session, words)) session.out(word)
      return 0
    }
    const script = scripts[shell!]
    if (!script) throw new UsageError(`There is no completion for "${shell}".`, 'Use bash, zsh or fish.')
    session.out(script)
    return 0
  },
}
