// What the code of many tools can touch, kept with the catalog: where nothing changed, nothing is read, nor is loaded
// what reads.
import { inOneLook } from '../../formats/folder-state.ts'
import type { Finding } from '../../tool/finding.ts'
import type { Tool } from '../../tool/tool.ts'
import type { LockMemory } from '../lock/lock.ts'
import type { Inference } from './inference.ts'

export type FindingsOfTools = ReadonlyMap<Tool, readonly Finding[]>

interface Kept {
  /** By tool: format, id and file. The first is there even if nothing was found, so that it is never empty. */
  readonly tools: readonly (readonly [string, readonly Finding[]])[]
}

interface Source {
  /** Stands for everything that the findings were read from. */
  readonly stamp: string
  readonly memory: LockMemory | undefined
  inference(): Promise<Inference>
}

export async function findingsOfAll(
  tools: readonly Tool[],
  { stamp, memory, inference }: Source,
): Promise<FindingsOfTools> {
  const kept = new Map(memory?.read<Kept>('inferred', stamp)?.tools)
  if (kept.size > 0) return new Map(tools.map((tool) => [tool, kept.get(keyOf(tool)) ?? []]))
  if (tools.length === 0) return new Map()
  const reader = await inference()
  const all = inOneLook(() => tools.map((tool) => [tool, reader.of(tool)] as const))
  const told = all.filter(([, findings], index) => findings.length > 0 || index === 0)
  memory?.write('inferred', stamp, {
    tools: told.map(([tool, findings]) => [keyOf(tool), findings]),
  } satisfies Kept)
  reader.keep()
  return new Map(all)
}

function keyOf({ format, id, source }: Tool): string {
  return `${format}\n${id}\n${source.file ?? ''}`
}
