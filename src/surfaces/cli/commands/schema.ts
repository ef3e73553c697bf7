// `toolcrib schema`: JSON Schemas for editors.
import { nearNames } from '../../../tool/near-names.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { editorSchemas, writeEditorSchemas } from '../editor-schemas.ts'

const names = Object.keys(editorSchemas)

export const schema: CliCommand = {
  words: names,
  examples: [
    ['toolcrib schema config > toolcrib.schema.json', 'for toolcrib.yaml'],
    ['toolcrib schema tool', 'what list, show and the API give'],
    ['toolcrib schema --write', 'all of them, where new files look for them'],
  ],
  define(command) {
    command
      .argument('[name]', names.join(', '))
      .option('--write', 'write all of them to .toolcrib/schemas/ of the crib')
  },
  async run(session, [name], { write }) {
    if (write) {
      const files = await writeEditorSchemas(session.root)
      if (session.json) session.outJson({ files })
      else for (const file of files) session.out(file)
      return 0
    }
    const load = name === undefined ? undefined : editorSchemas[name]
    if (!load) {
      const [near] = name === undefined ? [] : nearNames(name, names, 1)
      throw new UsageError(
        name === undefined ? 'Which schema?' : `There is no schema "${name}".`,
        near ? `Did you mean "${near}"?` : `Known: ${names.join(', ')}.`,
      )
    }
    session.out(JSON.stringify(await load(), null, 2))
    return 0
  },
}
