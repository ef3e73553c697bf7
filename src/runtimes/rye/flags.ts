// Params as command line flags, and the limits of what a command line and an environment can carry.
import { ToolError } from '../../tool/tool-error.ts'
import { textOf } from './template.ts'

/** The longest text passed as one argument or variable; the kernel's own limit is a little above. */
const maxArgumentBytes = 100_000

/** `--key value`; `--key`/`--no-key` for booleans; arrays repeat; objects are JSON; null is left out. */
export function paramFlags(params: { readonly [name: string]: unknown }): string[] {
  return Object.entries(params).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((item) => flag(name, item)),
  )
}

function flag(name: string, value: unknown): string[] {
  if (value === null || value === undefined) return []
  if (value === true) return [`--${name}`]
  if (value === false) return [`--no-${name}`]
  const text = textOf(value)
  return text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text]
}

/** `--params JSON`; more than a command line carries is PARAMS_INVALID. */
export function paramsFlag(paramsJson: string): string[] {
  const bytes = Buffer.byteLength(paramsJson)
  if (bytes > maxArgumentBytes) {
    throw new ToolError(
      'PARAMS_INVALID',
      `The params are ${bytes} bytes of JSON; a tool that takes --params gets at most ${maxArgumentBytes}.`,
      { hint: 'Pass less, or let the tool read its params from standard input.' },
    )
  }
  return ['--params', paramsJson]
}

/** `PARAM_<NAME>` for every scalar; what a variable cannot hold is left to standard input. */
export function paramVariables(params: { readonly [name: string]: unknown }): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(params)) {
    if (value === null || value === undefined || typeof value === 'object') continue
    const text = String(value)
    if (text.includes('\0') || Buffer.byteLength(text) > maxArgumentBytes) continue
    variables[`PARAM_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`] = text
  }
  return variables
}

/** Refuses arguments no process can be given. */
export function checkArguments(argv: readonly string[]): void {
  for (const [index, argument] of argv.entries()) {
    if (argument.includes('\0')) {
      throw new ToolError(
        'PARAMS_INVALID',
        `Argument ${index + 1} has a NUL character, which no process can be given.`,
      )
    }
    if (Buffer.byteLength(argument) > maxArgumentBytes) {
      throw new ToolError(
        'PARAMS_INVALID',
        `Argument ${index + 1} is longer than ${maxArgumentBytes} bytes.`,
        {
          hint: 'Pass long values on standard input (config.input_data).',
        },
      )
    }
  }
}
