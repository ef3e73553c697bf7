// `toolcrib verify`: who vouches for files and tools; exit 5 unless all are trusted.
import { namedFiles } from '../../trust/named-files.ts'
import { verifyFiles, verifyTools } from '../../trust/verify-files.ts'
import type { CliCommand } from '../command.ts'
import { printTrust } from '../print-trust.ts'

export const verify: CliCommand = {
  examples: [
    ['toolcrib verify', 'every tool of the project and your own'],
    ['toolcrib verify text/count', 'one tool: every file it is made of'],
    ["toolcrib verify 'skills/**/*.md' --json", 'any signed file; exit 5 unless all are trusted'],
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
      // Several tools may stand in one file; people want to know of the file once.
      const files = [...new Map(items.map((item) => [item.path, item])).values()]
      printTrust(session, files)
      const trusted = files.filter((item) => item.status === 'trusted').length
      session.note(files.length === 0 ? 'Nothing to verify.' : `${trusted} of ${files.length} trusted.`)
    }
    return isTrusted ? 0 : 5
  },
}
