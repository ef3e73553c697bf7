// Which word of a command line is the command.

const valued = new Set(['-C', '--crib'])

/** The command may stand before or after the common options. */
export function splitCommand(argv: readonly string[]): { name: string | undefined; rest: string[] } {
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i]!
    if (arg === 'help' && argv.length > i + 1) return { name: argv[i + 1], rest: ['--help'] }
    if (!arg.startsWith('-')) return { name: arg, rest: [...argv.slice(0, i), ...argv.slice(i + 1)] }
    if (valued.has(arg)) i++
  }
  return { name: undefined, rest: [...argv] }
}
