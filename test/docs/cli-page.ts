// docs/cli.md, made from the commands themselves.
import type { Command } from 'commander'
import { buildCommand } from '../../src/surfaces/cli/build-command.ts'
import { commands } from '../../src/surfaces/cli/registry.ts'
import { table } from './table.ts'

export async function cliPage(): Promise<string> {
  const parts = [
    '# Command line',
    'Made from the commands by `npm run docs`. Data goes to stdout, everything else to stderr; `--json` makes stdout one JSON document.',
    '## Commands',
    table(
      ['command', 'does'],
      commands.map(({ name, summary }) => [`[\`${name}\`](#${name})`, summary]),
    ),
    '## Common options',
  ]
  const [first] = commands
  const sample = buildCommand(first!, await first!.load())
  parts.push(optionTable(sample, (group) => group === 'Common options:'))
  parts.push(
    '## Exit codes',
    table(
      ['exit', 'meaning'],
      [
        ['0', 'done'],
        ['1', 'the tool ran and failed'],
        ['2', 'wrong usage'],
        ['3', 'not found'],
        ['4', 'invalid definition, parameters or result; a refused argument'],
        ['5', 'denied: trust, capability, allow list, approval, authentication'],
        ['6', 'timeout or limit'],
        ['7', 'something needed is missing on this machine'],
        ['130', 'interrupted'],
      ],
    ),
  )
  for (const entry of commands) {
    const definition = await entry.load()
    const command = buildCommand(entry, definition)
    parts.push(
      `## ${entry.name}`,
      command.description(),
      `\`\`\`text\n${command.name()} ${command.usage()}\n\`\`\``,
    )
    const args = command.registeredArguments.map((each) => [`\`${each.name()}\``, each.description])
    if (args.length > 0) parts.push(table(['argument', 'meaning'], args))
    const own = optionTable(command, (group) => group !== 'Common options:')
    if (own !== '') parts.push(own)
    const lines = definition.examples.map(([line, what]) => `# ${what}\n${line}`)
    parts.push(`\`\`\`sh shown\n${lines.join('\n')}\n\`\`\``)
  }
  return `${parts.join('\n\n')}\n`
}

function optionTable(command: Command, isWanted: (group: string | undefined) => boolean): string {
  const rows = command.options
    .filter((option) => isWanted(option.helpGroupHeading) && !option.hidden && option.long !== '--help')
    .map((option) => {
      const choices = option.argChoices ? ` (${option.argChoices.join(', ')})` : ''
      const value =
        option.defaultValue === undefined || option.negate
          ? ''
          : `; default ${JSON.stringify(option.defaultValue)}`
      return [`\`${option.flags}\``, `${option.description}${choices}${value}`]
    })
  return rows.length === 0 ? '' : table(['option', 'meaning'], rows)
}
