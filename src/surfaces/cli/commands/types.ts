// `toolcrib types`: TypeScript types of all tools, for programs that call them.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { writeAtomic } from '../../../files/write-atomic.ts'
import { typesText } from '../../types/write-types.ts'
import { type CliCommand, UsageError } from '../command.ts'

export const types: CliCommand = {
  examples: [
    ['toolcrib types', 'writes toolcrib.d.ts into the crib'],
    ['toolcrib types --out src/tools.d.ts', 'where your tsconfig.json looks'],
  ],
  define(command) {
    command.option('--out <file>', 'where to write, from the current folder; "-" prints')
  },
  async run(session, _args, { out }) {
    const crib = await session.open()
    await crib.discover()
    const formats = new Map((await crib.formats()).map((format) => [format.name, format]))
    const text = typesText(crib.list(), ({ format }) => !!formats.get(format)?.traits?.returnCandidates)
    if (out === '-') {
      session.out(text.trimEnd())
      return 0
    }
    const file = out === undefined ? resolve(session.root, 'toolcrib.d.ts') : resolve(String(out))
    if (!existsSync(dirname(file)))
      throw new UsageError(`There is no folder ${dirname(file)}.`, 'Make it first, or name another file.')
    writeAtomic(file, text, 0o644) // It never writes through a link that a tool may have put there.
    if (session.json) session.outJson({ file })
    else session.out(file)
    return 0
  },
}
