// `toolcrib schema`: JSON Schemas for editors.
import { nearNames } from '../../../tool/near-names.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { editorSchemas } from '../editor-schemas.ts'

export const schema: CliCommand = {
  examples: [
    ['toolcrib schema config > toolcrib.schema.json', 'for toolcrib.yaml'],
    ['toolcrib schema tool', 'what list, show and the API give'],
  ],
  define(command) {
    command.argument('<name>', Object.keys(editorSchemas).join(', '))
  },
  async run(session, [name]) {
    const load = editorSchemas[name!]
    if (!load) {
      const near = nearNames(name!, Object.keys(editorSchemas), 1)
      throw new UsageError(
        `There is no schema "${name}".`,
        near.length > 0 ? `Did you mean "${near[0]}"?` : `Known: ${Object.keys(editorSchemas).join(', ')}.`,
      )
    }
    session.out(JSON.stringify(await load(), null, 2))
    return 0
  },
}
