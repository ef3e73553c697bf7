// `toolcrib convert`: writes a tool in another format and says what was lost on the way.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Option } from 'commander'
import { writeBelow } from '../../../files/write-below.ts'
import { formats as shipped } from '../../../formats/registry.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { readPortable, targetsOf, writePortable } from '../../convert/convert-tool.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { writeEditorSchemas } from '../editor-schemas.ts'
import { noteStyle } from '../style.ts'

export const convert: CliCommand = {
  examples: [
    ['toolcrib convert utility/hello_module --to tool-code', 'for the Deno sandbox'],
    ['toolcrib convert text/lines --to tools-json --dry-run', 'what would be written and lost'],
    [
      'toolcrib convert units-convert --to rye',
      'a tool of an MCP server as files, to be reviewed and signed',
    ],
  ],
  define(command) {
    command
      .argument('<ref>', 'the tool')
      .addOption(
        new Option('--to <format>', 'the format to write')
          .choices(targetsOf(shipped))
          // A plugin may bring others; they are known when the crib is open.
          .argParser((name: string) => name)
          .makeOptionMandatory(),
      )
      .option('--into <dir>', 'folder to write below; default the crib')
      .option('--dry-run', 'write nothing')
  },
  async run(session, [ref], options) {
    const { to, into, dryRun } = options as { to: string; into?: string; dryRun?: boolean }
    const crib = await session.open()
    const formats = await crib.formats()
    const targets = targetsOf(formats)
    if (!targets.includes(to))
      throw new UsageError(
        `option '--to <format>' argument '${to}' is invalid. Allowed choices are ${targets.join(', ')}.`,
        'See `toolcrib convert --help`.',
      )
    const tool = await crib.resolve(ref!)
    if (tool.format === to)
      throw new ToolError('CONFLICT', `${tool.id} is a ${to} tool already.`, { hint: 'Name another format.' })
    const { files, lost } = writePortable(formats, readPortable(formats, tool), to)
    const root = into === undefined ? crib.root : resolve(into)
    const paths = Object.keys(files).map((path) => join(root, path))
    // A file that says the same already, such as a server that several tools share, is left as it is.
    const isKept = (path: string) =>
      existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8') === files[path]
    const fresh = Object.keys(files).filter((path) => !isKept(path))
    const taken = fresh.map((path) => join(root, path)).find((path) => existsSync(path))
    if (taken)
      throw new ToolError('CONFLICT', `${taken} exists already.`, {
        hint: 'Remove it, or write elsewhere with --into.',
      })
    if (!dryRun) {
      await writeEditorSchemas(root)
      mkdirSync(root, { recursive: true })
      for (const path of fresh) writeBelow(root, path, files[path]!, { isNew: true })
    }
    if (session.json) session.outJson({ files: paths, lost })
    else {
      for (const path of paths) session.out(path)
      for (const loss of lost) session.note(`${noteStyle.yellow('lost')} ${loss.field}: ${loss.message}`)
      session.note(
        dryRun
          ? 'Nothing was written.'
          : `${tool.source.file ?? tool.id} stays; try the new one with \`toolcrib check\` and \`toolcrib test\`, then remove it.`,
      )
    }
    return 0
  },
}
