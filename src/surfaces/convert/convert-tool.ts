// From a tool of one format to files of another, by the portable form that both formats know.
import type { Format } from '../../formats/format.ts'
import { type Converted, inexpressible, type Portable } from '../../formats/portable.ts'
import type { Tool } from '../../tool/tool.ts'
import { sidecarExamples } from '../examples/sidecar-examples.ts'

export function readPortable(formats: readonly Format[], tool: Tool): Portable {
  if (tool.kind !== 'callable') throw inexpressible(tool.id, `it is a ${tool.kind}, not a callable tool`)
  const form = formats.find(({ name }) => name === tool.format)?.portable
  if (!form?.read)
    throw inexpressible(
      tool.id,
      tool.source.file === null
        ? 'it is made in code'
        : `the format ${tool.format} does not say how its tools read elsewhere`,
    )
  return form.read({ ...tool, examples: [...tool.examples, ...sidecarExamples(tool)] })
}

/** Names of the formats that tools can be written in. */
export function targetsOf(formats: readonly Format[]): string[] {
  return formats.filter(({ portable }) => portable?.write).map(({ name }) => name)
}

/** `to` is one of `targetsOf`. */
export function writePortable(formats: readonly Format[], tool: Portable, to: string): Converted {
  return formats.find(({ name }) => name === to)!.portable!.write!(tool)
}
