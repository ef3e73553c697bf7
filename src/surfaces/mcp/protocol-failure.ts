// Failures that are errors of the protocol: a foreign server said so, or a program that embeds Toolcrib.
import type { ClientCapabilities } from '@modelcontextprotocol/server'
import { isPlainObject } from '../../tool/json.ts'
import type { ToolErrorData } from '../../tool/tool-error.ts'

export interface ProtocolFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The error of the protocol that a failure was; undefined where it was a failure of the tool. */
export function protocolFailureIn({ details }: ToolErrorData): ProtocolFailure | undefined {
  if (!isPlainObject(details) || typeof details['code'] !== 'number') return undefined
  return { code: details['code'], message: String(details['message']), data: details['data'] }
}

const [missingCapability, pagesWanted] = [-32_021, -32_042]

/** What a client of 2026-07-28 must be able to do for the call, and says it cannot. It is told so, not its model. */
export function lackingIn(error: ToolErrorData): ProtocolFailure | undefined {
  const failure = protocolFailureIn(error)
  return failure?.code === missingCapability ? failure : undefined
}

/** Pages that a person must see before the call, for a client of 2025-11-25 that can show them and then try again. */
export function pagesWantedIn(
  error: ToolErrorData,
  capabilities: ClientCapabilities | undefined,
): ProtocolFailure | undefined {
  const failure = capabilities?.elicitation?.url ? protocolFailureIn(error) : undefined
  return failure?.code === pagesWanted ? failure : undefined
}
