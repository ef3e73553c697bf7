// `toolcrib add petstore.yaml`: shows what an OpenAPI document offers and needs, puts it into the crib, grants its hosts.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { editSettings } from '../../../config/edit-settings.ts'
import { isInside } from '../../../files/is-inside.ts'
import { type ApiProposal, proposeApi } from '../../../formats/openapi/propose-api.ts'
import { UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import type { Added, AddOptions } from './added.ts'

const ending = /(\.openapi)?\.(json|ya?ml)$/
const maxBytes = 8 * 1_048_576

/** The document that is meant; undefined when the file is something else. */
export function apiAt(what: string, { id }: AddOptions): { file: string; proposal: ApiProposal } | undefined {
  const file = resolve(what)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!ending.test(file) || !stat?.isFile() || stat.size > maxBytes) return undefined
  const name = id ?? basename(file).replace(ending, '')
  const proposal = proposeApi(file, readFileSync(file, 'utf8'), name)
  return proposal && { file, proposal }
}

export async function addApi(
  session: Session,
  { file, proposal }: { readonly file: string; readonly proposal: ApiProposal },
  options: AddOptions,
): Promise<Added> {
  const { api, tools, grants } = proposal
  const isThere = isInside(file, session.root) && /\.openapi\.(json|ya?ml)$/.test(file)
  const path = isThere ? relative(session.root, file) : proposal.path
  const target = join(session.root, path)
  if (!isThere && existsSync(target))
    throw new UsageError(`${path} is there already.`, 'Choose another name with --id.')
  const settings = editSettings(session.root, { path: ['grants', 'tools', `${api}/*`], add: grants })
  const notes = words(proposal)
  if (!session.json) for (const note of notes.splice(0)) session.note(note)
  const texts = { [path]: readFileSync(file, 'utf8'), 'toolcrib.yaml': settings.after }
  if (options.dryRun || !(session.yes || (await isAgreed(session, path, grants))))
    return { files: [], tools, notes: [...notes, notWritten(options)], texts }
  const crib = await session.open()
  if (!isThere) {
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, texts[path]!, { flag: 'wx' })
  }
  writeFileSync(settings.file, settings.after)
  crib.folder.decide([], true) // The user wrote this, so the folder is theirs (D7).
  await crib.reload()
  return { files: [target, settings.file], tools, notes }
}

function words({ tools, byTag, grants, secrets, problems }: ApiProposal): string[] {
  const tags = [...byTag].map(([tag, count]) => `${tag || 'without a tag'} ${count}`).join(', ')
  return [
    `${tools.length} operations${tags ? ` (${tags})` : ''}`,
    `Hosts: ${grants.map((grant) => grant.replace('net.http:', '')).join(', ') || 'none named; set `server` under `apis`'}`,
    secrets.length > 0
      ? `Log-in: ${secrets.map((name) => `\`toolcrib secrets set ${name}\``).join(', ')}`
      : 'Log-in: none',
    ...problems.slice(0, 5),
    ...(problems.length > 5 ? [`and ${problems.length - 5} more problems; see \`toolcrib check\``] : []),
  ]
}

async function isAgreed(session: Session, path: string, grants: readonly string[]): Promise<boolean> {
  if (!session.mayAsk) return false
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message: `Write ${path} and grant ${grants.join(', ') || 'nothing'}?` })) === true
}

function notWritten({ dryRun }: AddOptions): string {
  return dryRun ? 'Nothing was written (--dry-run).' : 'Nothing was written; add --yes to write it.'
}
