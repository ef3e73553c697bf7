// Reading code for what it touches is loaded when something asks for it.
import type { Spaces } from '../config/spaces.ts'
import { version } from '../config/version.ts'
import type { Inference } from '../trust/inference/inference.ts'
import { lockMemory } from './lock-memory.ts'

export async function loadInference(spaces: Spaces, isKept: boolean): Promise<Inference> {
  const { Inference } = await import('../trust/inference/inference.ts')
  return new Inference(spaces.project, {
    memory: isKept ? lockMemory(spaces) : undefined,
    version: version(),
  })
}
