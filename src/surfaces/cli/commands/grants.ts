// `toolcrib grants`: what was denied to tools, as proposals; `accept` writes one to toolcrib.yaml.
import { acceptProposal, type GrantProposal, grantProposals } from '../../grants/grant-proposals.ts'
import { type CliCommand, UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import { outStyle, plain } from '../style.ts'

export const grants: CliCommand = {
  examples: [
    ['toolcrib grants', 'what tools were denied, and the change that would allow it'],
    [
      'toolcrib grants accept 1',
      'writes the first proposal to toolcrib.yaml; the id of its tool will do too',
    ],
  ],
  words: ['accept'],
  define(command) {
    command
      .argument('[action]', 'accept; without it the proposals are listed')
      .argument('[which]', 'number or tool of the proposal to accept')
  },
  async run(session, [action, which]) {
    if (action !== undefined && (action !== 'accept' || which === undefined))
      throw new UsageError(
        action === 'accept' ? 'Which proposal?' : `"${action}" is no action; accept is.`,
        'For example: toolcrib grants accept 1',
      )
    const crib = await session.open()
    if (which !== undefined) {
      const accepted = await acceptProposal(crib, which, session.principal)
      if (session.json) session.outJson({ accepted, proposals: await grantProposals(crib) })
      else for (const line of accepted.change) session.out(plain(line))
      session.note(`Granted to ${accepted.tool}: ${accepted.grants.join(', ')}`)
      return 0
    }
    const proposals = await grantProposals(crib)
    if (session.json) session.outJson({ proposals })
    else for (const proposal of proposals) print(session, proposal)
    if (proposals.length === 0) session.note('Nothing was denied that a grant would allow.')
    return 0
  },
}

function print(
  session: Session,
  { n, tool, grants: given, count, lastAt, change, refused }: GrantProposal,
): void {
  const times = count === 1 ? 'once' : `${count} times`
  session.out(`${outStyle.bold(`${n}  ${plain(tool)}`)}  ${plain(given.join(', '))}`)
  session.out(outStyle.dim(`   denied ${times}, last ${lastAt}`))
  for (const line of change) session.out(`   ${plain(line)}`)
  for (const { what, why } of refused) session.out(`   not proposed: ${plain(what)} (${plain(why)})`)
}
