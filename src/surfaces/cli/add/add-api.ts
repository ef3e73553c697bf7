// `toolcrib add petstore.yaml`: shows what an OpenAPI document offers and needs, puts it into the crib, grants its hosts.
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { editSettings, type SettingsEdit } from '../../../config/edit-settings.ts'
import type { Ask } from '../../../config/folder-asks.ts'
import { isInside } from '../../../files/is-inside.ts'
import { writeBelow } from '../../../files/write-below.ts'
import type { ApiProposal } from '../../../formats/openapi/propose-api.ts'
import type { ApiChoice } from '../../../formats/openapi/read-api.ts'
import type { Json } from '../../../tool/json.ts'
import { UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import { type Added, type AddOptions, notWritten } from './added.ts'
import type { ApiSource } from './api-source.ts'

export async function addApi(session: Session, source: ApiSource, options: AddOptions): Promise<Added> {
  const { file } = source
  const isThere = file !== undefined && isInside(file, session.root) && /\.openapi\.(json|ya?ml)$/.test(file)
  const include = options.include
  const whole = source.propose({ include })
  const path = isThere ? relative(session.root, file) : whole.path
  const target = join(session.root, path)
  if (!isThere && existsSync(target) && readFileSync(target, 'utf8') !== source.text)
    throw new UsageError(`${path} is there already.`, 'Choose another name with --id.')
  const notes = words(whole)
  if (whole.tools.length === 0 && include)
    throw new UsageError(
      `No operation fits ${include.join(', ')}.`,
      'A pattern is a glob on the id, `#tag`, or `METHOD /path`.',
    )
  if (!session.json) for (const note of notes.splice(0)) session.note(note)
  const exclude = await leftOut(session, whole, options)
  const chosen = exclude ? source.propose({ include, exclude }) : whole
  const settings = settingsWith(session.root, chosen, { path, include, exclude })
  const texts = { [path]: source.text, 'toolcrib.yaml': settings.after }
  const { tools, grants } = chosen
  if (options.dryRun || !(session.yes || (await isAgreed(session, path, grants))))
    return { files: [], tools, notes: [...notes, notWritten(options)], texts }
  const crib = await session.open({ asksAboutFolder: false })
  if (!isThere) writeBelow(session.root, path, source.text)
  writeBelow(session.root, 'toolcrib.yaml', settings.after)
  await crib.reload()
  // The user asked for this API, so its grant and its secrets count (G2), and the folder is theirs (D7).
  const own = ({ key, file }: Ask) => key === `grants.tools.${chosen.api}/*` || file === target
  crib.folder.decide(crib.asks.filter(own), true)
  await crib.reload()
  return { files: [target, settings.file], tools, notes }
}

/** The grant, and an entry of `apis` where the document alone does not say all. */
function settingsWith(
  root: string,
  { api, grants, server }: ApiProposal,
  { path, include, exclude }: Pick<ApiChoice, 'include' | 'exclude'> & { readonly path: string },
): SettingsEdit {
  const entry: { [key: string]: Json } = { spec: path }
  if (server !== undefined) entry['server'] = server
  if (include) entry['include'] = [...include]
  if (exclude) entry['exclude'] = [...exclude]
  const grant = { path: ['grants', 'tools', `${api}/*`], add: grants }
  if (Object.keys(entry).length === 1) return editSettings(root, grant)
  return editSettings(root, grant, { path: ['apis', api], value: entry })
}

function words({ tools, byTag, grants, secrets, problems }: ApiProposal): string[] {
  const tags = [...byTag].map(([tag, own]) => `${tag || 'without a tag'} ${own.length}`).join(', ')
  return [
    `${tools.length} operation${tools.length === 1 ? '' : 's'}${tags ? ` (${tags})` : ''}`,
    `Hosts: ${grants.map((grant) => grant.replace('net.http:', '')).join(', ') || 'none named; set `server` under `apis`'}`,
    secrets.length > 0
      ? `Log-in: ${secrets.map((name) => `\`toolcrib secrets set ${name}\``).join(', ')}`
      : 'Log-in: none',
    ...problems.slice(0, 5),
    ...(problems.length > 5 ? [`and ${problems.length - 5} more problems; see \`toolcrib check\``] : []),
  ]
}

/** What a person does not want, by tag; undefined when everything is taken. */
async function leftOut(
  session: Session,
  { byTag }: ApiProposal,
  { include, dryRun }: AddOptions,
): Promise<readonly string[] | undefined> {
  if (!session.mayAsk || session.yes || dryRun || include || byTag.size < 2) return undefined
  const { isCancel, multiselect } = await import('@clack/prompts')
  const tags = [...byTag.keys()]
  const kept = await multiselect({
    message: 'Which operations?',
    options: tags.map((tag) => ({
      value: tag,
      label: tag || 'without a tag',
      hint: `${byTag.get(tag)!.length}`,
    })),
    initialValues: tags,
  })
  if (isCancel(kept)) throw new UsageError('Nothing was added.')
  const rest = tags.filter((tag) => !kept.includes(tag))
  if (rest.length === 0) return undefined
  return rest.flatMap((tag) => (tag === '' ? byTag.get('')! : [`#${tag}`]))
}

async function isAgreed(session: Session, path: string, grants: readonly string[]): Promise<boolean> {
  if (!session.mayAsk) return false
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message: `Write ${path} and grant ${grants.join(', ') || 'nothing'}?` })) === true
}
