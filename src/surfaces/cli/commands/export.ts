// `toolcrib export`: tool definitions for other systems on stdout, what they lose on stderr.
import { Option } from 'commander'
import { isForModels } from '../../../catalog/offered-tools.ts'
import type { Loss } from '../../../tool/exporter.ts'
import { nearNames } from '../../../tool/near-names.ts'
import type { Tool } from '../../../tool/tool.ts'
import { askServers } from '../ask-servers.ts'
import { type CliCommand, UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import { noteStyle } from '../style.ts'

export const exportCommand: CliCommand = {
  examples: [
    ['toolcrib export --as openai > tools.json', 'for the Chat Completions API, in strict mode'],
    ['toolcrib export --as anthropic text/count', 'one tool for the Messages API'],
    ['toolcrib export --as gemini --json | jq length', 'function declarations, as JSON'],
  ],
  define(command) {
    command
      .argument('[ref...]', 'tools to export; default: all that are listed')
      .addOption(
        new Option('--as <system>', `mcp, openai, openai-responses, anthropic, ollama, ai-sdk or gemini`),
      )
  },
  async run(session, refs, options) {
    const { exporterNames, exportTools } = await import('../../exports/export-tools.ts')
    const crib = await session.open()
    const provider = providerOf(options['as'], exporterNames(crib.exporters))
    await askServers(session, (onWaiting) => crib.discover({ onWaiting }))
    const tools: Tool[] = []
    if (refs.length === 0) tools.push(...crib.list().filter(isForModels))
    else for (const ref of refs) tools.push(await crib.resolve(ref))
    const { definitions, losses } = exportTools(tools, provider, crib.exporters)
    if (session.json) session.outJson(definitions)
    else session.out(JSON.stringify(definitions, null, 2))
    report(session, losses)
    return 0
  },
}

function providerOf(given: unknown, names: readonly string[]): string {
  const known = names.find((name) => name === given)
  if (known) return known
  const near = typeof given === 'string' ? nearNames(given, names, 1) : []
  throw new UsageError(
    given === undefined
      ? 'Say for which system: --as <system>.'
      : `There is no export for "${String(given)}".`,
    near.length > 0 ? `Did you mean "${near[0]}"?` : `There are exports for ${names.join(', ')}.`,
  )
}

/** Losses tool by tool; encodings, which are mapped back exactly, only with -v. */
function report(session: Session, losses: readonly Loss[]): void {
  const shown = session.verbose ? losses : losses.filter((loss) => loss.effect !== 'encoded')
  for (const { tool, pointer, effect, message } of shown)
    session.note(`${tool}${pointer ? ` ${pointer}` : ''}: ${noteStyle.yellow(effect)}: ${message}`)
  if (losses.length > shown.length)
    session.note(
      noteStyle.dim(`${losses.length - shown.length} parts are said in another shape; see them with -v.`),
    )
}
