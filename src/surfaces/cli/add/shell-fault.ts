// Does the script's own shell parse it? Asked with -n, behind the fence, so nothing of it runs.
import type { Crib } from '../../../crib/crib.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { outputOf } from './help-of.ts'
import type { ScriptTarget } from './script-target.ts'

const shells = /^(?:ba|z|da|k)?sh$/

/** Throws TOOL_INVALID with the shell's words and line. */
export async function refuseBrokenShell(
  crib: Crib,
  { reading, argv, name }: ScriptTarget,
  signal: AbortSignal,
): Promise<void> {
  const [program, file, ...rest] = argv
  if (reading.language !== 'shell' || !shells.test(program!) || file === undefined || rest.length > 0) return
  const { text } = await outputOf(crib, [program!, '-n', file], signal)
  const said = text?.split('\n').find((line) => line.startsWith(`${file}:`))
  const found = said && /^: (?:line )?(\d+): (.*)/.exec(said.slice(file.length))
  if (found)
    throw new ToolError('TOOL_INVALID', `${name}:${found[1]}: ${found[2]!.replace(/\.$/, '')}.`, {
      hint: 'Correct it there, then add it again.',
    })
}
