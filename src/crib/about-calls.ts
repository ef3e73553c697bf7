// What stands between a tool that is there and a call of it, and where the time of its last runs went.
import type { Finding } from '../catalog/why.ts'
import type { Config } from '../config/config.ts'
import { asksApproval } from '../guards/checks/approve.ts'
import type { Refusal } from '../kernel/refusals.ts'
import type { RunHistory } from '../runs/run-history.ts'
import type { Tool } from '../tool/tool.ts'

export interface AboutCall {
  readonly tool: Tool
  /** What its definition says. */
  readonly findings: readonly Finding[]
  readonly refusals: readonly Refusal[]
  /** Settings that its definition states. */
  readonly metadata: { readonly [key: string]: unknown }
  readonly config: Config
  /** Whether anything was ever recorded: who only asks makes no store. */
  readonly hasStore: boolean
  readonly runs: RunHistory
}

/** Adds to what the definition says each check that would refuse, and what the record knows. */
export async function aboutCalls(about: AboutCall): Promise<Finding[]> {
  const { tool, findings, refusals, hasStore, runs } = about
  const { timesOf } = await import('../runs/where-time-went.ts')
  return [
    ...refusals.map(findingOf),
    ...(refusals.length > 0 ? [] : approvalOf(about)),
    ...findings.filter(({ code }) => refusals.length === 0 || code !== 'fine'),
    ...(hasStore ? await timesOf(tool.id, runs) : []),
  ]
}

/** What somebody is asked who can be asked is no refusal yet. */
function approvalOf({ tool, metadata, config }: AboutCall): Finding[] {
  const pattern = asksApproval(tool, config)
  if (pattern === undefined && metadata['approve'] !== true) return []
  const why = pattern === undefined ? 'its metadata asks for it' : `\`approve\` names "${pattern}"`
  return [
    {
      code: 'approval',
      message: `A person is asked before ${tool.id} runs: ${why}.`,
      hint: `Answer in the console, or approve beforehand: \`toolcrib run ${tool.id} --approve\`.`,
    },
  ]
}

export function findingOf({ code, message, hint }: Pick<Refusal, 'code' | 'message' | 'hint'>): Finding {
  return { code, message, hint }
}
