// Every format, loaded by the first who needs one: a crib that is known from the last time lists without them.
import type { Format } from '../formats/format.ts'

export async function allFormats(): Promise<readonly Format[]> {
  return (await import('../formats/registry.ts')).formats
}
