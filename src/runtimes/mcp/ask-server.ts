// Asks a foreign server for its tools. A failure is a problem of the server, never an exception.
import { specOf } from '../../formats/mcp/index.ts'
import type { Profile } from '../../sandbox/profile.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData } from '../../tool/tool-error.ts'
import type { RuntimeEnv } from '../runtime.ts'
import { connectionsOf } from './connections.ts'
import { type Discovered, rememberServer } from './definitions.ts'
import { fillSpec, refuseOtherProgram, targetOf } from './server-target.ts'

export async function askServer(
  server: Tool,
  profile: Profile,
  env: RuntimeEnv,
  signal: AbortSignal,
): Promise<Discovered> {
  try {
    const spec = fillSpec(specOf(server)!, env.config)
    const target = targetOf(spec, env.config, env.spaces)
    refuseOtherProgram(target, spec, server, env)
    const listed = await connectionsOf(env).to(target, profile).listTools(signal)
    return rememberServer(server, listed, env.spaces)
  } catch (error) {
    const { code, message, hint } = errorData(signal.aborted ? signal.reason : error)
    const problem: Problem = {
      code: 'mcp-server-failed',
      severity: 'error',
      message: `${message} (${code})`,
      ...(hint === undefined ? {} : { hint }),
      ...(server.source.file ? { file: server.source.file, line: server.source.line ?? 1 } : {}),
      toolId: server.id,
    }
    return { server, tools: [], problem, askedAt: Date.now() }
  }
}
