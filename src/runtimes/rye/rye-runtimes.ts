// The runtimes `rye-worker` and `rye-process`. Which way a tool is run depends on its code, not on the name: a file
// that is entered by a function goes to a warm worker when its runtime has one, everything else is a process.
import { availableParallelism } from 'node:os'
import { WorkerPool } from '../../workers/pool.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { buildCommand } from './build-command.ts'
import { FunctionCalls } from './function-calls.ts'
import { Interpreters } from './interpreter.ts'
import { planOfCommand, runProcess } from './run-process.ts'
import { settingOf } from './setting.ts'

const workersPerKey = Math.max(2, Math.min(4, availableParallelism()))
const poolSettings = {
  workersPerKey,
  startsAtOnce: workersPerKey,
  callsPerWorker: 10_000,
  idleMs: 60_000,
  maxWorkers: 32,
}

function ryeRuntime(name: string, env: RuntimeEnv): Runtime {
  const interpreters = new Interpreters(env)
  const pool = new WorkerPool(poolSettings)
  const functions = new FunctionCalls(env, interpreters, pool)
  const asProcess = async (attempt: Attempt): Promise<unknown> =>
    runProcess(attempt, await settingOf(attempt, env, interpreters), env)
  return {
    name,
    run(attempt) {
      return functions.serves(attempt) ? functions.run(attempt) : asProcess(attempt)
    },
    async plan(attempt) {
      if (functions.serves(attempt)) return functions.plan(attempt)
      return planOfCommand(buildCommand(attempt, await settingOf(attempt, env, interpreters), env))
    },
    close: () => pool.close(),
  }
}

export const ryeWorker = (env: RuntimeEnv): Runtime => ryeRuntime('rye-worker', env)
export const ryeProcess = (env: RuntimeEnv): Runtime => ryeRuntime('rye-process', env)
