// CONFIG_RESOLVE: which configuration files a tool asks for.
import { isPlainObject, type Json } from '../../tool/json.ts'
import type { RyeConfigRequest } from '../../tool/plans/rye-plan.ts'

export interface ConfigRequests {
  readonly requests: readonly RyeConfigRequest[]
  readonly isList: boolean
}

/** The requests, or what is wrong with them and where. */
export function readConfigResolve(
  value: Json,
): ConfigRequests | { readonly pointer: string; readonly message: string } {
  const isList = Array.isArray(value)
  const items = isList ? value : [value]
  const requests: RyeConfigRequest[] = []
  for (const [index, item] of items.entries()) {
    const pointer = isList ? `/${index}` : ''
    if (!isPlainObject(item)) return { pointer, message: 'must be an object with path and mode' }
    const { path, mode = 'deep_merge' } = item as { path?: unknown; mode?: unknown }
    if (typeof path !== 'string' || path === '') return { pointer, message: 'has no path' }
    if (
      path.startsWith('/') ||
      path.includes('\\') ||
      path.split('/').some((part) => part === '..' || part === '.')
    )
      return {
        pointer: `${pointer}/path`,
        message: `has the path "${path}", which must stay below .ai/config/`,
      }
    if (!/\.(ya?ml|json|toml)$/.test(path))
      return {
        pointer: `${pointer}/path`,
        message: `has the path "${path}", which is no YAML, JSON or TOML file`,
      }
    if (mode !== 'deep_merge' && mode !== 'first_match')
      return {
        pointer: `${pointer}/mode`,
        message: `has the mode ${JSON.stringify(mode)}; use deep_merge or first_match`,
      }
    requests.push({ path, mode })
  }
  return { requests, isList }
}
