// Which commands and options a shell line uses, and whether there are such.
import { buildCommand } from '../../src/surfaces/cli/build-command.ts'
import { commands } from '../../src/surfaces/cli/registry.ts'

/** What is wrong with the `toolcrib` calls of a line; empty when every command and option exists. */
export async function unknownParts(line: string): Promise<string[]> {
  const faults: string[] = []
  for (const [, call] of line.matchAll(/(?:^|[|&;(]|npx(?: -y)?|\$)\s*toolcrib ([^|&;)#]+)/g)) {
    // What stands after `--` belongs to another program; `toolcrib` alone is a call too.
    const words = call!
      .replace(/\s--\s.*$|^--\s.*$/, '')
      .trim()
      .split(/\s+/)
    const name = words.find(
      (word, index) => !word.startsWith('-') && !['-C', '--crib'].includes(words[index - 1] ?? ''),
    )
    if (!name || name.startsWith('<')) continue
    const entry = commands.find((each) => each.name === name)
    if (!entry) {
      faults.push(`there is no command "${name}"`)
      continue
    }
    const definition = await entry.load()
    if (definition.takesAnyOption) continue
    const command = buildCommand(entry, definition)
    const all = [command, ...command.commands]
    for (const word of words) {
      const flag = /^(--[a-z][\w-]*|-[A-Za-z])(=|$)/.exec(word)?.[1]
      if (!flag || flag === '--help' || flag === '-h') continue
      if (!all.some((each) => each.options.some((option) => option.long === flag || option.short === flag)))
        faults.push(`${name} has no option ${flag}`)
    }
  }
  return faults
}
