// Retry, cost and timeout as the file states them, checked and brought into the program's own units.
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import type { CostModel, RetryPolicy } from '../../tool/tool.ts'
import { describe, type FieldValues } from './field-values.ts'
import type { ProblemList } from './problem-list.ts'

const backoffs = ['fixed', 'linear', 'exponential'] as const

export function readRetry(values: FieldValues, problems: ProblemList): RetryPolicy | undefined {
  const policy = values.map('retry_policy')
  if (policy)
    return retryFrom(policy, { field: 'retry_policy', at: '', backoffKey: 'backoff_type', problems })
  const own = values.map('config')?.['retry']
  if (isPlainObject(own) && /http/.test(`${values.text('tool_type')} ${values.text('executor_id')}`))
    return retryFrom(own as JsonObject, { field: 'config', at: '/retry', backoffKey: 'backoff', problems })
  return undefined
}

function retryFrom(
  policy: JsonObject,
  {
    field,
    at,
    backoffKey,
    problems,
  }: {
    readonly field: 'retry_policy' | 'config'
    readonly at: string
    readonly backoffKey: string
    readonly problems: ProblemList
  },
): RetryPolicy {
  const number = (key: string, fallback: number, isGood: (value: number) => boolean): number => {
    const value = policy[key]
    if (value === undefined) return fallback
    if (typeof value === 'number' && isGood(value)) return value
    problems.addAt('field-type', field, `${at}/${key}`, `${key} of the retry policy is ${describe(value)}.`)
    return fallback
  }
  const backoff = policy[backoffKey] ?? 'exponential'
  if (!backoffs.includes(backoff as RetryPolicy['backoff']))
    problems.addAt(
      'field-type',
      field,
      `${at}/${backoffKey}`,
      `${backoffKey} is ${describe(backoff)}; use ${backoffs.join(', ')}.`,
    )
  return {
    maxAttempts: number('max_attempts', 1, (value) => Number.isInteger(value) && value >= 1 && value <= 100),
    backoff: backoffs.includes(backoff as RetryPolicy['backoff'])
      ? (backoff as RetryPolicy['backoff'])
      : 'exponential',
    initialDelayMs: number('initial_delay', 1, (value) => value >= 0) * 1000,
    maxDelayMs: number('max_delay', 60, (value) => value >= 0) * 1000,
    multiplier: number('backoff_multiplier', 2, (value) => value > 0),
  }
}

export function readCost(values: FieldValues, problems: ProblemList): CostModel | undefined {
  const cost = values.map('cost')
  if (!cost) return undefined
  const amount = (key: string): number | undefined => {
    const value: Json | undefined = cost[key]
    if (value === undefined || (typeof value === 'number' && value >= 0)) return value as number | undefined
    problems.addAt(
      'field-type',
      'cost',
      `/${key}`,
      `${key} must be a number from 0; it is ${describe(value)}.`,
    )
    return undefined
  }
  const currency = cost['currency'] ?? 'USD'
  if (typeof currency !== 'string')
    problems.addAt(
      'field-type',
      'cost',
      '/currency',
      `currency must be a string; it is ${describe(currency)}.`,
    )
  const estimated = amount('estimated_duration')
  return {
    perCall: amount('per_invocation') ?? 0,
    perMinute: amount('per_minute') ?? 0,
    estimatedSeconds: estimated,
    currency: typeof currency === 'string' ? currency : 'USD',
  }
}
