// `toolcrib add ./scripts`: every script of a folder, one after the other. One that cannot be added stops no other.
import { join, relative } from 'node:path'
import { ToolError } from '../../../tool/tool-error.ts'
import { UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import { scriptsIn } from '../what-is-here.ts'
import { addScript } from './add-script.ts'
import { type Added, type AddOptions, joinAdded } from './added.ts'
import { fileTarget } from './script-target.ts'

/** Undefined when the folder holds none. */
export async function addScripts(
  session: Session,
  folder: string,
  options: AddOptions,
): Promise<Added | undefined> {
  const scripts = scriptsIn(folder)
  if (scripts.length === 0) return undefined
  if ((options.id ?? options.example) !== undefined)
    throw new UsageError('--id and --example are of one thing.', 'Name the one script that they are for.')
  const all: Added[] = []
  for (const name of scripts) all.push(await addOne(session, join(folder, name), options))
  return joinAdded(all)
}

async function addOne(session: Session, file: string, options: AddOptions): Promise<Added> {
  try {
    return await addScript(session, fileTarget(file, session.root), options)
  } catch (error) {
    if (!(error instanceof ToolError) && !(error instanceof UsageError)) throw error
    const path = relative(session.root, file)
    const hint = error instanceof ToolError && error.code !== 'CONFLICT' ? ` ${error.hint ?? ''}` : ''
    const failure = error instanceof ToolError ? error.code : undefined
    return { files: [], tools: [], notes: [`${path} was left out: ${error.message}${hint}`.trim()], failure }
  }
}
