// `toolcrib verify`: who vouches for files and tools; exit 5 unless all are trusted.
import { namedFiles } from '../../trust/named-files.ts'
import { verifyFiles, verifyTools } from '../../trust/verify-files.ts'
import type { CliCommand } from '../command.ts'
import { printTrust } from '../print-trust.ts'

export const verify: CliCommand = {
  examples: [
    ['toolcrib verify', 'every tool of the project and your own'],
    ['toolcrib verify utility/hello', 'one tool: every file it is made of'],
    ["toolcrib verify 'docs/**/*.md' --json", 'any signed file; exit 5 unless all are trusted'],
  ],
  define(command) {
    command.argument('[path-or-id...]', 'files, folders, globs, or tools; default every tool')
  },
  async run(session, words) {
    const crib = await session.open()
    const items =
      words.length > 0 ? verifyFiles(crib, await namedFiles(crib, words, process.cwd())) : verifyTools(crib)
    const isTrusted = items.every((item) => item.status === 'trusted')
    if (session.json) session.outJson({ items })
    else {
      printTrust(session, items)
      const trusted = items.filter((item) => item.status === 'trusted').length
      session.note(items.length === 0 ? 'Nothing to verify.' : `${trusted} of ${items.length} trusted.`)
    }
    return isTrusted ? 0 : 5
  },
}
