// The cascade: what all levels of a tool come to. Computed once per tool and kept until the skills change.
import type { Cascade, Woven, WovenHook, WovenKey } from '../../../tool/cascade.ts'
import { isPlainObject, type Json, type JsonObject } from '../../../tool/json.ts'
import type { Tool } from '../../../tool/tool.ts'
import { dataKeys } from '../reserved.ts'
import { isInternal, metadataOf, textList } from '../settings.ts'
import { componentOf } from './component.ts'
import { cascadeError, type Level, levelsOf } from './levels.ts'
import { isStrategy, mergeValues, type Strategy, strategies } from './merge-values.ts'
import type { SkillIndex } from './skill-index.ts'

interface Merged {
  readonly levels: readonly Level[]
  readonly values: ReadonlyMap<string, { readonly value: Json; readonly from: Tool }>
  /** Keys that would run if nothing were in a circle with the tool. */
  readonly dynamic: ReadonlyMap<string, Tool>
}

const defaultStrategies: { readonly [key: string]: Strategy } = { paths: 'prepend', mcp: 'shallow' }
const hookTimes = ['before', 'after', 'error'] as const

export class SkillCascade implements Cascade {
  readonly index: SkillIndex
  readonly #merged = new WeakMap<Tool, Merged>()

  constructor(index: SkillIndex) {
    this.index = index
  }

  of(tool: Tool, asChainEntry: boolean): Woven {
    const merged = this.#mergedOf(tool)
    const metadata: Record<string, Json> = {}
    const declaredBy: Record<string, Tool> = {}
    for (const [key, { value, from }] of merged.values) {
      metadata[key] = value
      declaredBy[key] = from
    }
    return {
      metadata,
      declaredBy,
      keys: this.#keys(tool, merged, asChainEntry),
      hooks: asChainEntry ? hooksOf([merged.levels[0]!]) : hooksOf(merged.levels),
    }
  }

  #keys(tool: Tool, merged: Merged, asChainEntry: boolean): WovenKey[] {
    const own = metadataOf(tool)
    const wanted = [...merged.dynamic].filter(([key]) => !asChainEntry || Object.hasOwn(own, key))
    if (wanted.length === 0) return []
    const circle = componentOf(tool, (item) => [...this.#mergedOf(item).dynamic.values()])
    const order = orderOf(merged.levels)
    return wanted
      .filter(([, owner]) => owner !== tool && !circle.has(owner))
      .map(([name, owner]) => {
        const self = selfOf(owner)
        const stated = [order.get(name), self['order']].filter(isPlainObject) as JsonObject[]
        return {
          name,
          tool: owner,
          before: stated.flatMap((item) => textList(item['before'])),
          after: stated.flatMap((item) => textList(item['after'])),
          fallback: self['default'],
        }
      })
  }

  #mergedOf(tool: Tool): Merged {
    let merged = this.#merged.get(tool)
    if (!merged) {
      merged = this.#merge(tool)
      this.#merged.set(tool, merged)
    }
    return merged
  }

  #merge(tool: Tool): Merged {
    const levels = levelsOf(tool, this.index)
    for (const level of levels) checkStrategies(level.tool)
    const values = new Map<string, { value: Json; from: Tool }>()
    for (const level of [...levels].reverse()) {
      for (const [key, near] of Object.entries(level.passes)) {
        const far = values.get(key)
        const value = far ? mergeValues(far.value, near, this.#strategy(key, levels, tool)) : near
        values.set(key, { value, from: level.tool })
      }
      for (const key of textList(metadataOf(level.tool)['$remove'])) values.delete(key)
    }
    const dynamic = new Map<string, Tool>()
    for (const key of values.keys()) {
      if (dataKeys.has(key)) continue
      const owner = this.index.find(key, tool)
      if (owner && isInternal(owner) && !isStatic(key, levels, owner)) dynamic.set(key, owner)
    }
    return { levels, values, dynamic }
  }

  #strategy(key: string, levels: readonly Level[], tool: Tool): Strategy {
    for (const level of levels) {
      const named = metadataOf(level.tool)['$merge']
      if (!isPlainObject(named) || !Object.hasOwn(named, key)) continue
      return checkedStrategy(named[key], key, level.tool)
    }
    const owner = this.index.find(key, tool)
    const own = owner && selfOf(owner)['merge']
    return own === undefined ? (defaultStrategies[key] ?? 'replace') : checkedStrategy(own, key, owner!)
  }
}

/** A strategy that does not exist is a mistake also while there is nothing to merge. */
function checkStrategies(tool: Tool): void {
  const named = metadataOf(tool)['$merge']
  if (!isPlainObject(named)) return
  for (const [key, strategy] of Object.entries(named)) checkedStrategy(strategy, key, tool)
}

function checkedStrategy(value: unknown, key: string, tool: Tool): Strategy {
  if (isStrategy(value)) return value
  throw cascadeError(
    tool,
    `"${key}" is merged by ${JSON.stringify(value)}, which is none of ${strategies.join(', ')}`,
  )
}

function selfOf(tool: Tool): JsonObject {
  const self = metadataOf(tool)['$self']
  return isPlainObject(self) ? (self as JsonObject) : {}
}

function isStatic(key: string, levels: readonly Level[], owner: Tool): boolean {
  for (const level of levels) {
    const metadata = metadataOf(level.tool)
    if (textList(metadata['$static']).includes(key)) return true
    if (textList(metadata['$dynamic']).includes(key)) return false
  }
  return selfOf(owner)['static'] === true
}

/** `$order` of all levels, united. */
function orderOf(levels: readonly Level[]): Map<string, JsonObject> {
  const order = new Map<string, JsonObject>()
  for (const level of levels) {
    const stated = metadataOf(level.tool)['$order']
    if (!isPlainObject(stated)) continue
    for (const [key, value] of Object.entries(stated)) {
      if (!isPlainObject(value)) continue
      const known = order.get(key) ?? {}
      order.set(key, {
        before: [...textList(known['before']), ...textList(value['before'] as Json)],
        after: [...textList(known['after']), ...textList(value['after'] as Json)],
      })
    }
  }
  return order
}

function hooksOf(levels: readonly Level[]): WovenHook[] {
  const hooks: WovenHook[] = []
  for (const { tool } of [...levels].reverse()) {
    const stated = metadataOf(tool)['$hook']
    if (!isPlainObject(stated)) continue
    for (const when of hookTimes) {
      const given = stated[when]
      for (const item of Array.isArray(given) ? given : [given]) {
        if (typeof item === 'string') hooks.push({ when, ref: item, declaredBy: tool })
        else if (isPlainObject(item) && typeof item['ref'] === 'string')
          hooks.push({ when, ref: item['ref'], config: (item['args'] ?? null) as Json, declaredBy: tool })
      }
    }
  }
  return hooks
}
