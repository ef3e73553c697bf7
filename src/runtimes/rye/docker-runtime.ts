// The runtime `rye-docker`: one container per call. The engine is the fence here; when a call is stopped, the
// container is removed too, because the engine's client ending does not end it.

import type { Fence } from '../../sandbox/fence.ts'
import type { Enforcement } from '../../tool/outcome.ts'
import { isToolError, ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { runToEnd } from '../supervisor/run-to-end.ts'
import { buildContainer, type ContainerCommand, removal } from './docker-command.ts'
import { Interpreters } from './interpreter.ts'
import { planOfCommand, runCommand } from './run-process.ts'
import { settingOf } from './setting.ts'

const removeMs = 15_000
/** The engine's own failure: no daemon, no image, a flag it does not know. */
const engineFailed = 125

export function ryeDocker(env: RuntimeEnv): Runtime {
  const interpreters = new Interpreters(env)
  return {
    name: 'rye-docker',
    async run(attempt) {
      const command = buildContainer(attempt, await settingOf(attempt, env, interpreters), env)
      try {
        return await runCommand(attempt, command, [], { ...env, fence: engineAsFence(attempt) })
      } catch (error) {
        if (isToolError(error) && ['TIMEOUT', 'CANCELLED', 'OUTPUT_TOO_LARGE'].includes(error.code))
          await removeContainer(command, env)
        throw engineError(error, command)
      }
    },
    async plan(attempt) {
      const command = buildContainer(attempt, await settingOf(attempt, env, interpreters), env)
      return planOfCommand(command)
    },
  }
}

/** The client must reach its daemon, so it is not fenced itself; what it starts is. */
function engineAsFence(attempt: Attempt): Fence {
  const isOffline = attempt.profile.network.mode === 'none'
  const enforcement: Enforcement = {
    layers: ['container'],
    dimensions: {
      network: isOffline ? 'enforced' : 'advisory',
      read: 'enforced',
      write: 'enforced',
      memory: 'enforced',
      processes: 'enforced',
      subprocess: 'advisory',
    },
  }
  return { wrap: (spec) => ({ spec, enforcement }), layers: () => [], close: () => {} }
}

async function removeContainer(command: ContainerCommand, env: RuntimeEnv): Promise<void> {
  await runToEnd(env.supervisor, removal(command), {
    maxBytes: 65_536,
    timeoutMs: removeMs,
    signal: new AbortController().signal,
  }).catch(() => {})
}

function engineError(error: unknown, command: ContainerCommand): unknown {
  if (!isToolError(error) || error.code !== 'TOOL_FAILED') return error
  const details = error.details as { readonly exit_code?: number } | undefined
  if (details?.exit_code !== engineFailed || !/daemon|connect|socket/i.test(error.message)) return error
  return new ToolError(
    'RUNTIME_MISSING',
    `${command.binary} is installed but does not answer: ${error.message}`,
    {
      hint: `Start the ${command.binary} service, or use a machine that has one.`,
    },
  )
}
