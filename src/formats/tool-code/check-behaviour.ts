// The parts of a document that say when and how a tool runs: limits, subscriptions, bootstrap, isolation.
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import type { Isolation } from '../../tool/plans/deno-plan.ts'
import { escapePointer } from '../../tool/pointer.ts'
import type { Findings } from './findings.ts'
import {
  type Bootstrap,
  defaultOf,
  isMatchOperator,
  limitsShape,
  type Subscription,
  type ToolCodeLimits,
} from './shapes.ts'

const { memory_mb, timeout_ms, cpu_percent } = limitsShape.properties
const defaultLimits: ToolCodeLimits = {
  memory_mb: defaultOf(memory_mb),
  timeout_ms: defaultOf(timeout_ms),
  cpu_percent: defaultOf(cpu_percent),
}
const maxTimeoutMs = timeout_ms.maximum!

export function checkLimits(given: unknown, findings: Findings): ToolCodeLimits {
  const at = '/context/limits'
  if (given === undefined) {
    findings.add('tc-field-missing', at, 'context.limits is missing: 128 MB, 30000 ms and one core apply.')
    return defaultLimits
  }
  if (!isPlainObject(given)) {
    findings.add('tc-limit', at, 'context.limits must be an object.')
    return defaultLimits
  }
  const limits = { ...defaultLimits }
  for (const key of Object.keys(given)) {
    if (!(key in defaultLimits))
      findings.add(
        'tc-unknown-field',
        `${at}/${escapePointer(key)}`,
        `limits.${key} is not known and has no effect.`,
      )
  }
  for (const key of Object.keys(defaultLimits) as (keyof ToolCodeLimits)[]) {
    const value = given[key]
    if (value === undefined) {
      findings.add(
        'tc-field-missing',
        `${at}/${key}`,
        `limits.${key} is missing: ${defaultLimits[key]} applies.`,
      )
    } else if (typeof value !== 'number' || !(value > 0) || (key === 'timeout_ms' && value > maxTimeoutMs)) {
      findings.add(
        'tc-limit',
        `${at}/${key}`,
        `limits.${key} is ${JSON.stringify(value)}; it must be a number above 0${key === 'timeout_ms' ? ` and at most ${maxTimeoutMs}` : ''}.`,
      )
    } else {
      limits[key] = value
    }
  }
  return limits
}

export function checkIsolation(given: unknown, findings: Findings): Isolation {
  if (given === undefined || given === 'worker') return 'worker'
  if (given === 'call') return 'call'
  findings.add(
    'tc-limit',
    '/context/isolation',
    `context.isolation is ${JSON.stringify(given)}; it must be "worker" or "call".`,
  )
  return 'worker'
}

export function checkSubscriptions(given: unknown, findings: Findings): readonly Subscription[] {
  const at = '/context/subscriptions'
  if (given === undefined) return []
  if (!Array.isArray(given)) {
    findings.add('tc-subscription', at, 'context.subscriptions must be a list.')
    return []
  }
  return given.flatMap((item, index) => {
    const faults = subscriptionFaults(item)
    for (const fault of faults)
      findings.add('tc-subscription', `${at}/${index}${fault.pointer}`, fault.message)
    return faults.length === 0 ? [item as Subscription] : []
  })
}

function subscriptionFaults(item: unknown): { pointer: string; message: string }[] {
  if (!isPlainObject(item)) return [{ pointer: '', message: 'A subscription must be an object.' }]
  const faults: { pointer: string; message: string }[] = []
  const expect = (key: string, isGood: boolean, what: string) => {
    if (!isGood) faults.push({ pointer: `/${key}`, message: `A subscription's ${key} must be ${what}.` })
  }
  const { schema_name, tag, context_match, description, input, allowSelf, coalesce_ms } = item
  expect(
    'schema_name',
    typeof schema_name === 'string' && schema_name !== '',
    'a schema name; it is required',
  )
  expect('tag', tag === undefined || typeof tag === 'string', 'a string')
  expect('description', description === undefined || typeof description === 'string', 'a string')
  expect('input', input === undefined || isPlainObject(input), 'an object')
  expect('allowSelf', allowSelf === undefined || typeof allowSelf === 'boolean', 'true or false')
  expect(
    'coalesce_ms',
    coalesce_ms === undefined || (typeof coalesce_ms === 'number' && coalesce_ms >= 0),
    'a number from 0',
  )
  if (context_match === undefined) return faults
  if (!Array.isArray(context_match))
    return [...faults, { pointer: '/context_match', message: 'context_match must be a list.' }]
  for (const [index, rule] of context_match.entries()) {
    const pointer = `/context_match/${index}`
    if (!isPlainObject(rule) || typeof rule['path'] !== 'string' || rule['path'] === '')
      faults.push({ pointer, message: 'A context_match rule needs a path, an op and a value.' })
    else if (!isMatchOperator(rule['op']))
      faults.push({
        pointer: `${pointer}/op`,
        message: `${JSON.stringify(rule['op'])} is no operator; use ${isMatchOperator.words}.`,
      })
  }
  return faults
}

export const noBootstrap: Bootstrap = {
  enabled: false,
  mode: 'disabled',
  priority: 50,
  wait_for: [],
  input: {},
}

export function checkBootstrap(given: unknown, findings: Findings): Bootstrap {
  const at = '/context/bootstrap'
  if (given === undefined) return noBootstrap
  if (!isPlainObject(given)) {
    findings.add('tc-bootstrap', at, 'context.bootstrap must be an object.')
    return noBootstrap
  }
  const { enabled, mode, priority, wait_for, input } = given
  const expect = (key: string, isGood: boolean, what: string): boolean => {
    if (!isGood) findings.add('tc-bootstrap', `${at}/${key}`, `bootstrap.${key} must be ${what}.`)
    return isGood
  }
  const isEnabled = expect('enabled', enabled === undefined || typeof enabled === 'boolean', 'true or false')
  const hasMode = expect(
    'mode',
    mode === undefined || ['once', 'continuous', 'disabled'].includes(mode as string),
    '"once", "continuous" or "disabled"',
  )
  const hasPriority = expect(
    'priority',
    priority === undefined || (typeof priority === 'number' && priority >= 0 && priority <= 100),
    'a number from 0 to 100',
  )
  const hasWaits = expect(
    'wait_for',
    wait_for === undefined || (Array.isArray(wait_for) && wait_for.every((name) => typeof name === 'string')),
    'a list of tool names',
  )
  const hasInput = expect('input', input === undefined || isPlainObject(input), 'an object')
  if (enabled === true && mode === undefined)
    findings.add('tc-bootstrap', at, 'bootstrap is enabled but has no mode, so the tool is not started.', {
      lesser: true,
      hint: 'Add "mode": "once" or "mode": "continuous".',
    })
  return {
    enabled: isEnabled && enabled === true,
    mode: hasMode && mode !== undefined ? (mode as Bootstrap['mode']) : 'disabled',
    priority: hasPriority && priority !== undefined ? (priority as number) : 50,
    wait_for: hasWaits && wait_for !== undefined ? (wait_for as string[]) : [],
    input: hasInput && input !== undefined ? (input as JsonObject) : {},
  }
}

/** True when the tool is started by bootstrap. */
export function takesPart(bootstrap: Bootstrap): boolean {
  return bootstrap.enabled && bootstrap.mode !== 'disabled'
}
