// What it means when `docker run` or `podman run` ends badly: the engine's own failures are told apart from the
// tool's by exit code and text.
import { isToolError, ToolError } from '../../tool/tool-error.ts'
import type { Attempt } from '../runtime.ts'
import type { ContainerCommand } from './docker-command.ts'

/** The engine failed, the command could not be run, the command was not found. */
const engineCodes: readonly unknown[] = [125, 126, 127]
/** 128 + SIGKILL. */
const killed = 137

/** The engine itself removes a container that came to its end; of any other end nobody knows what is left. */
export function leavesContainer(error: unknown): boolean {
  if (!isToolError(error) || error.code !== 'TOOL_FAILED') return true
  const { exit_code, signal } = (error.details ?? {}) as {
    readonly exit_code?: number
    readonly signal?: string
  }
  return signal !== undefined || isEngineFailure(exit_code)
}

function isEngineFailure(exitCode: unknown): boolean {
  return engineCodes.includes(exitCode)
}

export function containerError(error: unknown, attempt: Attempt, command: ContainerCommand): unknown {
  if (!isToolError(error) || error.code !== 'TOOL_FAILED') return error
  const exitCode = (error.details as { readonly exit_code?: number } | undefined)?.exit_code
  const { name } = command.engine
  const { message, details } = error
  if (exitCode === killed) {
    // Inside its own process namespace nobody can kill the first process, and it was not us: it was the kernel.
    return new ToolError(
      'MEMORY_LIMIT',
      `${attempt.tool.id} was killed in its container, most likely because it passed its ${command.memory} of memory.`,
      { hint: 'Use less memory, or raise config.memory and limits.memoryMb.', details },
    )
  }
  if (!isEngineFailure(exitCode)) return error
  if (/no such image|image not known|unable to find image|did not resolve to an alias/i.test(message)) {
    return new ToolError('RUNTIME_MISSING', `The image ${command.image} is not on this machine (${name}).`, {
      hint: `${name} pull ${command.image}`,
      details,
    })
  }
  if (exitCode === 125 && /daemon|connect|socket/i.test(message) && !/from daemon/i.test(message)) {
    return new ToolError('RUNTIME_MISSING', `${name} is installed but does not answer: ${message}`, {
      hint: `Start the ${name} service, or install ${name === 'docker' ? 'podman' : 'docker'}, which is used instead.`,
      details,
    })
  }
  if (/OCI|runc|crun/.test(message) && !/\bexec:? |executable file|no such file/i.test(message)) {
    return new ToolError('RUNTIME_MISSING', `${name} cannot start containers here: ${message}`, {
      hint: '`toolcrib doctor` tries it without any tool.',
      details,
    })
  }
  return error
}
