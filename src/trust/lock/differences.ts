// What changed between an approved tool and the tool as it is, in words, each with the risk it carries. The grade
// says where to look first; it decides nothing.

import { canonicalJson, isPlainObject, type Json, type JsonObject, jsonDigest } from '../../tool/json.ts'
import type { Static } from '../../tool/shape.ts'
import type { differenceShape } from '../trust-shapes.ts'
import { withoutEmptyNeeds } from './definition.ts'
import type { Pin } from './lock-file.ts'

export type Risk = Difference['risk']

export interface Difference extends Static<typeof differenceShape> {}

/** Every difference, the riskiest first. */
export function differences(pin: Pin, now: Pin): Difference[] {
  const found = [
    ...(isSameDefinition(pin, now) ? [] : definitionDifferences(pin, now)),
    ...fileDifferences(pin.files, now.files),
  ]
  return byRisk(found)
}

function isSameDefinition(pin: Pin, now: Pin): boolean {
  return pin.definition === now.definition || pin.definition === jsonDigest(withoutEmptyNeeds(now.tool))
}

/** Programs that are not the ones that were approved. */
export function programDifferences(pin: Pin, now: Pin): Difference[] {
  return Object.entries(pin.programs ?? {}).flatMap(([name, approved]) => {
    const current = now.programs?.[name]
    if (current?.path === approved.path && current.digest === approved.digest) return []
    const what = !current
      ? `the program ${name} is not on this machine`
      : current.path === approved.path
        ? `the program ${name} is another version`
        : `the program ${name} is another file`
    return [
      {
        field: `program ${name}`,
        before: { ...approved },
        after: current ? { ...current } : null,
        risk: current ? ('high' as const) : ('low' as const),
        what,
      },
    ]
  })
}

const ranks: readonly Risk[] = ['high', 'medium', 'low']

export function byRisk(list: readonly Difference[]): Difference[] {
  return [...list].sort((a, b) => ranks.indexOf(a.risk) - ranks.indexOf(b.risk))
}

function definitionDifferences(pin: Pin, now: Pin): Difference[] {
  const names = new Set([...Object.keys(pin.tool), ...Object.keys(now.tool)])
  const found = [...names].flatMap((field) => {
    const before = pin.tool[field] ?? null
    const after = now.tool[field] ?? null
    return canonicalJson(before) === canonicalJson(after) ? [] : fieldDifferences(field, before, after)
  })
  if (found.length > 0) return found
  // The readable part of the pin agrees and its digest does not: somebody edited the lock file.
  const what = 'the lock file does not agree with itself'
  return [{ field: 'definition', before: pin.definition, after: now.definition, risk: 'high', what }]
}

function fieldDifferences(field: string, before: Json, after: Json): Difference[] {
  if (field === 'params') return paramDifferences(before, after)
  if (field === 'requires' || field === 'secrets') return listDifferences(field, before, after)
  if (field === 'permissions') return permissionDifferences(before, after)
  return [{ field, before, after, ...gradeOf(field, before, after) }]
}

function gradeOf(field: string, before: Json, after: Json): Pick<Difference, 'risk' | 'what'> {
  const change = before === null ? 'is new' : after === null ? 'is gone' : 'changed'
  switch (field) {
    case 'description':
    case 'title':
      return { risk: 'medium', what: `the ${field} ${change}; models read it` }
    case 'plan':
    case 'runtime':
      return { risk: 'high', what: `how it runs ${change}` }
    case 'facts':
    case 'kind':
    case 'aliases':
    case 'programs':
      return { risk: 'medium', what: `${field} ${change}` }
    case 'limits':
      return isRaised(before, after)
        ? { risk: 'medium', what: 'a limit was raised or lifted' }
        : { risk: 'low', what: 'limits were lowered' }
    default:
      return { risk: 'low', what: `${field} ${change}` }
  }
}

/** A limit that is gone counts as raised. */
function isRaised(before: Json, after: Json): boolean {
  if (!isPlainObject(before)) return false
  const now = isPlainObject(after) ? after : {}
  return Object.entries(before).some(([name, old]) => {
    const value = now[name]
    return typeof value !== 'number' || (typeof old === 'number' && value > old)
  })
}

const capabilityWords: { readonly [prefix: string]: string } = {
  net: 'network access',
  'fs.write': 'writing files',
  shell: 'starting programs',
  'rye.execute': 'calling other tools',
}

function listDifferences(field: string, before: Json, after: Json): Difference[] {
  // No list at all means whatever is granted, which is more than any list.
  if (before === null || after === null)
    return field === 'requires'
      ? [
          {
            field,
            before,
            after,
            risk: after === null ? 'high' : 'medium',
            what:
              after === null
                ? 'it no longer says what it needs, so it gets all that is granted'
                : 'it now says what it needs',
          },
        ]
      : addedAndRemoved(field, asList(before), asList(after))
  return addedAndRemoved(field, asList(before), asList(after))
}

function addedAndRemoved(field: string, before: readonly Json[], after: readonly Json[]): Difference[] {
  const gained = after.filter((item) => !before.includes(item))
  const lost = before.filter((item) => !after.includes(item))
  const noun = field === 'secrets' ? 'the secret' : 'the capability'
  const word = (item: Json): string => {
    const known = Object.keys(capabilityWords).find((prefix) => String(item).startsWith(prefix))
    return known && field === 'requires' ? `${noun} ${item} (${capabilityWords[known]})` : `${noun} ${item}`
  }
  return [
    ...gained.map((item) => ({
      field,
      before: null,
      after: item,
      risk: 'high' as const,
      what: `gained ${word(item)}`,
    })),
    ...lost.map((item) => ({
      field,
      before: item,
      after: null,
      risk: 'low' as const,
      what: `lost ${word(item)}`,
    })),
  ]
}

/** Rights that tool-code tools declare: whatever is not plainly less is more. */
function permissionDifferences(before: Json, after: Json): Difference[] {
  const old = asObject(before)
  const now = asObject(after)
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name) => {
    const [from, to] = [old[name] ?? null, now[name] ?? null]
    if (canonicalJson(from) === canonicalJson(to)) return []
    const isLess =
      isNothing(to) || (Array.isArray(from) && Array.isArray(to) && to.every((x) => from.includes(x)))
    const verb = isLess ? 'lost' : isNothing(from) ? 'gained' : 'changed'
    return [
      {
        field: `permissions/${name}`,
        before: from,
        after: to,
        risk: isLess ? ('low' as const) : ('high' as const),
        what: `${verb} ${name === 'network' ? 'network access' : `the permission ${name}`}`,
      },
    ]
  })
}

function isNothing(value: Json): boolean {
  return value === null || value === false || (Array.isArray(value) && value.length === 0)
}

/** Parameter by parameter, then whatever else the schema says. */
function paramDifferences(before: Json, after: Json): Difference[] {
  const old = asObject(before)
  const now = asObject(after)
  const oldNames = asObject(old['properties'] ?? null)
  const newNames = asObject(now['properties'] ?? null)
  const found: Difference[] = []
  for (const name of new Set([...Object.keys(oldNames), ...Object.keys(newNames)])) {
    const [from, to] = [oldNames[name] ?? null, newNames[name] ?? null]
    if (canonicalJson(from) === canonicalJson(to)) continue
    const what =
      from === null
        ? `gained the parameter ${name}`
        : to === null
          ? `lost the parameter ${name}`
          : onlyDescriptionChanged(from, to)
            ? `the description of the parameter ${name} changed; models read it`
            : `the parameter ${name} changed`
    found.push({ field: `params/${name}`, before: from, after: to, risk: 'medium', what })
  }
  const { properties: _, ...oldRest } = old
  const { properties: __, ...newRest } = now
  if (canonicalJson(oldRest) !== canonicalJson(newRest))
    found.push({
      field: 'params',
      before: oldRest,
      after: newRest,
      risk: 'medium',
      what: 'the rules for parameters changed',
    })
  return found
}

function onlyDescriptionChanged(from: Json, to: Json): boolean {
  if (!isPlainObject(from) || !isPlainObject(to)) return false
  return (
    canonicalJson({ ...from, description: null }) === canonicalJson({ ...to, description: null }) &&
    from['description'] !== to['description']
  )
}

function fileDifferences(before: Pin['files'], after: Pin['files']): Difference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((path) => {
    const [from, to] = [before[path] ?? null, after[path] ?? null]
    if (from === to) return []
    const change = from === null ? 'is new' : to === null ? 'is gone' : 'changed'
    const risk = to === null ? ('medium' as const) : ('high' as const)
    return [{ field: `file ${path}`, before: from, after: to, risk, what: `${path} ${change}` }]
  })
}

function asList(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function asObject(value: Json): JsonObject {
  return isPlainObject(value) ? (value as JsonObject) : {}
}

/** The difference an approval makes for a tool that no lock file spoke of. */
export function newPin(key: string): Difference {
  return { field: 'tool', before: null, after: key, risk: 'medium', what: 'it is pinned from now on' }
}
