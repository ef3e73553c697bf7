// `toolcrib sign`: signs files in place, each validated first.
import { namedFiles } from '../../trust/named-files.ts'
import { signFiles } from '../../trust/sign-files.ts'
import type { CliCommand } from '../command.ts'
import { printTrust } from '../print-trust.ts'

export const sign: CliCommand = {
  examples: [
    ['toolcrib sign text/count', 'a tool: its file and the files it takes in'],
    ["toolcrib sign '.ai/tools/**/*.py'", 'many files; each is reported'],
    ['toolcrib sign .ai/tools', 'every file of a folder'],
  ],
  define(command) {
    command.argument('<path-or-id...>', 'files, folders, globs, or tools')
  },
  async run(session, words) {
    const crib = await session.open()
    const items = await signFiles(crib, await namedFiles(crib, words, process.cwd()))
    const refused = items.filter((item) => item.status === 'invalid')
    if (session.json) session.outJson({ items })
    else {
      printTrust(session, items)
      session.note(`${items.length - refused.length} signed, ${refused.length} refused.`)
    }
    return refused.length > 0 ? 4 : 0
  },
}
