// Whether the system can start a program by itself. A file it knows nothing about, such as a script without `#!`,
// is silently handed to a shell by the libraries that start programs; here it is refused instead.
import { closeSync, openSync, readSync } from 'node:fs'
import { findOnPath } from '../../config/find-on-path.ts'
import { ToolError } from '../../tool/tool-error.ts'

// As much as Linux itself looks at.
const headBytes = 256
// ELF, and the kinds of Mach-O.
const magics = ['7f454c46', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe', 'cafebabf']
// An interpreter may be a script itself; the system follows as many.
const maxInterpreters = 5

/** COMMAND_FAILED for what only a shell would run, COMMAND_NOT_FOUND for a script whose interpreter is not here. */
export function refuseUnstartable(binary: string, program: string, toolId: string): void {
  let file = program
  for (let step = 0; step < maxInterpreters; step++) {
    const head = headOf(file)
    if (head === undefined || magics.includes(head.toString('hex', 0, 4))) return
    const interpreter = /^#![ \t]*([^ \t\n\0]+)/.exec(head.toString('latin1'))?.[1]
    if (interpreter === undefined)
      throw new ToolError(
        'COMMAND_FAILED',
        `${toolId}: the system cannot start ${file === binary ? file : `${file} (${binary})`}: it is neither a program nor a script that names its interpreter.`,
        { hint: 'If it is a shell script, begin it with the line #!/bin/sh.' },
      )
    if (!interpreter.startsWith('/')) return
    const found = findOnPath(interpreter)
    if (found === undefined)
      throw new ToolError(
        'COMMAND_NOT_FOUND',
        `${toolId}: the interpreter ${JSON.stringify(interpreter)} of ${binary} was not found.`,
        { hint: `Install it, or correct the first line of ${file}.` },
      )
    file = found
  }
}

/** undefined for a file that may be run but not read. */
function headOf(file: string): Buffer | undefined {
  try {
    const handle = openSync(file, 'r')
    try {
      const head = Buffer.alloc(headBytes)
      return head.subarray(0, readSync(handle, head, 0, headBytes, 0))
    } finally {
      closeSync(handle)
    }
  } catch {
    return undefined
  }
}
