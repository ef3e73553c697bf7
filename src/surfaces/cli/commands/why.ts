// `toolcrib why`: what stands between a tool and a call.
import { askServers } from '../ask-servers.ts'
import { attendApprovals } from '../attend-approvals.ts'
import type { CliCommand } from '../command.ts'
import { readParams } from '../read-params.ts'
import { outStyle, plain } from '../style.ts'

export const why: CliCommand = {
  examples: [
    ['toolcrib why text/count', 'why a tool is not listed, not callable or denied'],
    ['toolcrib why .ai/tools/text/count.py', 'the same for a file'],
    [`toolcrib why text/count --params '{"text":1}'`, 'why a call with these parameters would be refused'],
  ],
  define(command) {
    command
      .argument('<ref-or-file>', 'a tool, or the file it should come from')
      .option('--params <json|@file|->', 'parameters of the call that is asked about, as one JSON object')
  },
  async run(session, [given], options) {
    const json = options['params'] as string | undefined
    const params = json === undefined ? undefined : readParams(json)
    const crib = await session.open()
    await askServers(session, (onWaiting) => crib.discover({ onWaiting }))
    const leave = attendApprovals(crib, session, async () => {})
    const findings = await crib.why(given!, params, { principal: session.principal, approved: session.yes })
    leave()
    if (session.json) session.outJson({ ref: given, findings })
    else
      for (const finding of findings) {
        const place = finding.file ? `${finding.file}${finding.line ? `:${finding.line}` : ''}` : ''
        session.out(`${outStyle.bold(finding.code)}: ${plain(finding.message)}`)
        if (place) session.out(`  ${outStyle.dim(plain(place))}`)
        if (finding.hint) session.out(`  ${plain(finding.hint)}`)
      }
    return findings.some((finding) => finding.code === 'TOOL_NOT_FOUND' || finding.code === 'no-file') ? 3 : 0
  },
}
