// Which variables a process asks for while it is watched. No system call shows it, so the runtimes of Python and
// JavaScript say each by a look at a path that nothing has. What a tool itself says so is a name in a list, no more.
import { basename } from 'node:path'
import { isBaseVariable } from '../../tool/base-variables.ts'
import type { SpawnSpec } from '../fence.ts'
import type { Access } from './access.ts'

const said = /^\/toolcrib\/variable\/(given|missing)\/([A-Za-z_]\w*)$/

/** The variable that a look at this path says; undefined where it says none, or one that every process has. */
export function variableOf(path: string): Access | undefined {
  const [, state, what] = said.exec(path) ?? []
  if (what === undefined || isBaseVariable(what)) return undefined
  return { kind: 'variable', what, isDenied: state === 'missing' }
}

/** Tells the runtime that it is watched; it takes the name out before it runs the tool. */
export function watchedSpec(spec: SpawnSpec, tracer: object | undefined): SpawnSpec {
  const isAsked = tracer && /^(?:python|pypy|node)[\d.]*$/.test(basename(spec.file))
  return isAsked ? { ...spec, env: { ...spec.env, TOOLCRIB_WATCHED: '1' } } : spec
}
