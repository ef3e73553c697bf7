// `toolcrib show`: everything about one tool.
import { basename } from 'node:path'
import { grantText } from '../../../tool/capabilities.ts'
import { describeTool, type ToolDescription } from '../../describe-tool.ts'
import type { ToolCapability } from '../../tool-capabilities.ts'
import type { ToolRight } from '../../tool-rights.ts'
import type { CliCommand } from '../command.ts'
import { problemLines } from '../print-problems.ts'
import { columns, outStyle, plain } from '../style.ts'

export const show: CliCommand = {
  examples: [
    ['toolcrib show text/count', 'source, schemas, executor chain, trust, grants, sandbox profile'],
    ['toolcrib show tools-json:notes_search --json', 'as data'],
  ],
  define(command) {
    command.argument('<ref>', 'id, alias, format:id or path of the tool')
  },
  async run(session, [ref]) {
    const crib = await session.open()
    const document = await describeTool(crib, await crib.resolve(ref!))
    if (session.json) session.outJson(document)
    else for (const line of lines(document)) session.out(line)
    return 0
  },
}

function lines(document: ToolDescription): string[] {
  const { tool, chain, grants, profile, keeps, rights, capabilities } = document
  const instructions = document.instructions ?? tool.details?.instructions
  const facts: [string, string][] = [
    ['format', `${tool.format}, ${tool.kind}, version ${tool.version}`],
    ['state', tool.state + (tool.reason ? `: ${tool.reason}` : '')],
    [
      'source',
      tool.source.file
        ? `${tool.source.file}${tool.source.line ? `:${tool.source.line}` : ''}`
        : 'made in code',
    ],
    ['model name', tool.name],
    ['aliases', tool.aliases.join(', ')],
    ['tags', tool.tags.join(', ')],
    [
      'trust',
      tool.trust.status +
        (tool.trust.owner ? ` (${tool.trust.owner})` : '') +
        (tool.trust.reason ? `: ${tool.trust.reason}` : ''),
    ],
    ['runs by', chain.map((link) => link.id).join(' → ')],
    [
      'needs',
      tool.requires === null
        ? 'not stated (gets all that is granted)'
        : tool.requires.join(', ') || 'nothing',
    ],
    ['granted', grants.join(', ') || 'nothing'],
    ...(rights ? rightLines(rights) : [networkLine(profile.network)]),
    ['may read', profile.read.join(', ') || 'its own files only'],
    ['may write', profile.write.join(', ') || 'nothing'],
    ...keeps.map(({ what, folder }): [string, string] => [what, folder]),
    [
      'limits',
      `${profile.memoryMb} MB, ${profile.processes} processes${tool.limits.timeoutMs ? `, ${tool.limits.timeoutMs} ms` : ''}`,
    ],
  ]
  return [
    outStyle.bold(plain(tool.id)),
    ...(tool.description ? [plain(tool.description)] : []),
    '',
    ...columns(
      facts.filter(([, value]) => value !== '').map(([name, value]) => [outStyle.dim(name), plain(value)]),
      0,
    ),
    ...(capabilities.length > 0 ? ['', ...capabilityLines(capabilities)] : []),
    ...(tool.params ? ['', outStyle.dim('parameters'), plain(JSON.stringify(tool.params, null, 2))] : []),
    ...(tool.returns ? ['', outStyle.dim('returns'), plain(JSON.stringify(tool.returns, null, 2))] : []),
    ...(instructions === undefined ? [] : ['', outStyle.dim('instructions'), plain(instructions)]),
    ...(tool.problems.length > 0 ? ['', ...problemLines(tool.problems, outStyle)] : []),
  ]
}

function networkLine(network: ToolDescription['profile']['network']): [string, string] {
  return ['network', network.mode === 'none' ? 'none' : `${network.mode} ${network.hosts.join(', ')}`]
}

/** One line a right, with where it comes from. */
function rightLines(rights: readonly ToolRight[]): [string, string][] {
  const names = [...new Set(['network', ...rights.map(({ right }) => right)])]
  return names.map((name) => {
    const own = rights.filter(({ right }) => right === name)
    return [name, own.map(({ what, from }) => `${what} (${from})`).join(', ') || 'none']
  })
}

/** Four columns: what it is about, who says so, and where in the code. */
function capabilityLines(capabilities: readonly ToolCapability[]): string[] {
  const yes = (is: boolean): string => (is ? 'yes' : outStyle.dim('no'))
  const head = ['can touch', 'declared', 'granted', 'used', 'the code says'].map((word) => outStyle.dim(word))
  const rows = capabilities.map(({ capability, detail, declared, granted, used, unused, inferred }) => [
    plain(grantText({ capability, scope: detail })),
    yes(declared),
    yes(granted),
    used ? `${used.count} times` : unused ? 'never' : outStyle.dim('no'),
    plain(inferred.slice(0, 3).map(placeText).join(', ')) +
      (inferred.length > 3 ? ` and ${inferred.length - 3} more` : ''),
  ])
  return columns([head, ...rows], 0)
}

function placeText({ file, line, certainty }: ToolCapability['inferred'][number]): string {
  return `${file === undefined ? 'line ' : `${basename(file)}:`}${line} ${certainty}`
}
