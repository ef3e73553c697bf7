// `toolcrib keys`: the signing key and the keys this user trusts.
import { text as readAll } from 'node:stream/consumers'
import type { Crib } from '../../../crib/crib.ts'
import { nearNames } from '../../../tool/near-names.ts'
import { exportKey, type KeyEntry, listKeys, newKey, trustKey, untrustKey } from '../../../trust/keys.ts'
import { signingFolder } from '../../../trust/signing-key.ts'
import { type CliCommand, UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import { columns, outStyle, plain } from '../style.ts'

type Action = (session: Session, crib: Crib, value: string | undefined, owner?: string) => Promise<number>

export const keys: CliCommand = {
  examples: [
    ['toolcrib keys new --owner "Ada Lovelace"', 'make your signing key and trust it'],
    ['toolcrib keys list', 'every key, also those that do not count, and why'],
    ['toolcrib keys trust ada.pem --owner Ada', 'accept what another person signs'],
    ['toolcrib keys untrust <id>', 'take that back'],
    ['toolcrib keys export > me.pem', 'your public key, to give to others'],
  ],
  define(command) {
    command.argument('<action>', 'new, list, trust, untrust or export')
    command.argument('[key]', 'trust: PEM text, a file, or - for stdin; untrust and export: a key id')
    command.option('--owner <name>', 'whose key it is, shown with every verdict')
    // PEM text starts with dashes and is no option.
    command.allowUnknownOption()
  },
  async run(session, [action, value], options, command) {
    const unknown = command.args.find((word) => /^-(?!$|----BEGIN)/.test(word))
    if (unknown !== undefined)
      throw new UsageError(`There is no option ${unknown}.`, 'See `toolcrib keys -h`.')
    const run = actions[action!]
    if (!run) {
      const near = nearNames(action!, Object.keys(actions), 1)[0]
      throw new UsageError(
        `There is no "keys ${action}".`,
        near ? `Did you mean "keys ${near}"?` : `Use one of ${Object.keys(actions).join(', ')}.`,
      )
    }
    return run(session, await session.open(), value, options['owner'] as string | undefined)
  },
}

const actions: { readonly [name: string]: Action } = {
  async new(session, crib, _, owner) {
    const entry = newKey(crib.trust, folderOf(crib), owner ?? session.principal.name)
    if (session.json) session.outJson({ keys: [entry] })
    else session.out(entry.keyId)
    session.note(`Made the signing key ${entry.keyId} in ${folderOf(crib)} and trusted it.`)
    return 0
  },

  async list(session, crib) {
    const entries = listKeys(crib.trust, folderOf(crib))
    if (session.json) session.outJson({ keys: entries })
    else if (entries.length === 0) session.note('No keys yet. Make one with `toolcrib keys new`.')
    else for (const line of columns(entries.map(rowOf), 0)) session.out(line)
    return 0
  },

  async trust(session, crib, value, owner) {
    const given = await needed(value, 'trust', 'a public key in PEM form, a file that holds one, or -')
    const entry = trustKey(crib.trust, given, owner)
    if (session.json) session.outJson({ keys: [entry] })
    else session.out(entry.keyId)
    session.note(
      `You now trust ${entry.keyId}${entry.owner ? ` of ${plain(entry.owner)}` : ''} (${entry.file}).`,
    )
    return 0
  },

  async untrust(session, crib, value) {
    const gone = untrustKey(crib.trust, await needed(value, 'untrust', 'a key id; see `toolcrib keys list`'))
    if (session.json) session.outJson({ keys: [gone] })
    else session.out(gone.keyId)
    session.note(`You no longer trust ${gone.keyId}.`)
    return 0
  },

  async export(session, crib, value) {
    const { keyId, longId, pem } = exportKey(crib.trust, folderOf(crib), value)
    if (session.json) session.outJson({ keys: [{ keyId, longId, pem }] })
    else session.out(pem)
    return 0
  },
}

function folderOf(crib: Crib): string {
  return signingFolder(crib.spaces.userAi, crib.env)
}

async function needed(value: string | undefined, action: string, what: string): Promise<string> {
  if (value === '-') return readAll(process.stdin)
  if (value) return value
  throw new UsageError(`\`keys ${action}\` needs ${what}.`)
}

function rowOf(entry: KeyEntry): string[] {
  const state = entry.isTrusted ? outStyle.green('trusted') : outStyle.red('refused')
  return [
    entry.keyId || '(no key)',
    state,
    entry.tier,
    `${plain(entry.owner)}${entry.isSigningKey ? outStyle.dim(' (you sign with it)') : ''}`,
    outStyle.dim(plain(entry.reason ?? entry.file)),
  ]
}
