// `toolcrib why`: what stands between a tool and a call.
import { askServers } from '../ask-servers.ts'
import type { CliCommand } from '../command.ts'
import { outStyle, plain } from '../style.ts'

export const why: CliCommand = {
  examples: [
    ['toolcrib why text/count', 'why a tool is not listed, not callable or denied'],
    ['toolcrib why .ai/tools/text/count.py', 'the same for a file'],
  ],
  define(command) {
    command.argument('<ref-or-file>', 'a tool, or the file it should come from')
  },
  async run(session, [given]) {
    const crib = await session.open()
    await askServers(session, (onWaiting) => crib.discover({ onWaiting }))
    const findings = await crib.why(given!)
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
