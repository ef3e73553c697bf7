// The runtime `rye-docker`: one container per call. The engine is the fence here; when a call is stopped or this
// process dies, the container is removed too, because the engine's command ending does not end it.

import { demandEnforced } from '../../sandbox/demand-enforced.ts'
import type { Fence } from '../../sandbox/fence.ts'
import type { Profile } from '../../sandbox/profile.ts'
import { Placeholders } from '../../sandbox/view/placeholders.ts'
import type { Enforcement } from '../../tool/outcome.ts'
import { runToEnd } from '../../workers/run-to-end.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { BlankFolder } from './blank-folder.ts'
import { buildContainer, type ContainerCommand } from './docker-command.ts'
import { EngineFinder } from './docker-engine.ts'
import { containerError, leavesContainer } from './docker-error.ts'
import { seesMore } from './docker-mounts.ts'
import { Interpreters } from './interpreter.ts'
import { planOfCommand, runCommand } from './run-process.ts'
import { settingOf } from './setting.ts'

const removeMs = 15_000

export function ryeDocker(env: RuntimeEnv): Runtime {
  const interpreters = new Interpreters(env)
  const engines = new EngineFinder(env.supervisor)
  const placeholders = new Placeholders()
  const blank = new BlankFolder(env.supervisor)
  const running = new Set<Promise<unknown>>()

  async function commandFor(attempt: Attempt): Promise<ContainerCommand> {
    const setting = await settingOf(attempt, env, interpreters)
    return buildContainer(attempt, setting, env, { engine: await engines.find(), placeholders, blank })
  }

  async function run(attempt: Attempt): Promise<unknown> {
    const command = await commandFor(attempt)
    const takeBack = env.supervisor.leave(command.removal)
    let isStarted = false
    const fence = engineAsFence(env, () => {
      isStarted = true
    })
    try {
      return await runCommand(attempt, command, { ...env, fence }, { read: [] })
    } catch (error) {
      if (isStarted && leavesContainer(error)) {
        engines.forget()
        await removeContainer(command, env)
      }
      throw containerError(error, attempt, command)
    } finally {
      takeBack()
    }
  }

  return {
    name: 'rye-docker',
    run(attempt) {
      const ran = run(attempt)
      const settled = ran.catch(() => {}).finally(() => running.delete(settled))
      running.add(settled)
      return ran
    },
    async plan(attempt) {
      const command = await commandFor(attempt)
      return { ...planOfCommand(command), env: [...command.variables] }
    },
    async close() {
      await Promise.all(running)
      placeholders.close()
      blank.close()
    },
  }
}

/** The engine's command must reach its daemon, so it is not fenced itself; what it starts is. */
function engineAsFence({ config }: RuntimeEnv, started: () => void): Fence {
  return {
    wrap(spec, profile, options) {
      const enforcement = enforcementOf(profile)
      demandEnforced(enforcement, config.sandbox, () => [])
      if (profile.write.length > 0) options?.holding?.writesDirectly?.(inContainer)
      return { spec, enforcement, started }
    },
    layers: () => [],
    close: () => {},
  }
}

/** A container has all of the network or nothing of it: single hosts cannot be told apart. */
function enforcementOf(profile: Profile): Enforcement {
  return {
    layers: ['container'],
    dimensions: {
      network: profile.network.mode === 'none' ? 'enforced' : 'advisory',
      read: seesMore(profile) ? 'partial' : 'enforced',
      write: 'enforced',
      env: 'enforced',
      memory: 'enforced',
      ...(profile.cpuPercent === null ? {} : { cpu: 'enforced' }),
      processes: 'enforced',
      subprocess: profile.subprocess ? 'enforced' : 'advisory',
      time: 'enforced',
      output: 'enforced',
      effects: profile.write.length === 0 ? 'none' : 'direct',
    },
    ...(profile.write.length > 0 && { reasons: { effects: inContainer } }),
  }
}

const inContainer = 'a container writes to the files itself'

/** Nobody's signal stops this: a container left running is worse than a moment's wait. */
async function removeContainer(command: ContainerCommand, env: RuntimeEnv): Promise<void> {
  await runToEnd(env.supervisor, command.removal, {
    maxBytes: 65_536,
    timeoutMs: removeMs,
    signal: new AbortController().signal,
  }).catch(() => {})
}
