// Which tools an offer holds (D18): one that the user named in `offers`, and the principal it binds.
import type { Config } from '../config/config.ts'
import { matchesTool } from '../sandbox/tool-grants.ts'
import { nearNames } from '../tool/near-names.ts'
import type { Principal } from '../tool/principal.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'

/** Whether one of the patterns names the tool, by its id, its name for models or an alias such as `server/tool`. */
export function isSelected(patterns: readonly string[], tool: Tool): boolean {
  return patterns.some(
    (pattern) =>
      matchesTool(pattern, tool) ||
      matchesTool(pattern, { ...tool, id: tool.name }) ||
      tool.aliases.some((id) => matchesTool(pattern, { ...tool, id })),
  )
}

/** The principal, bound to an offer; throws OFFER_NOT_FOUND, and TOOL_DENIED for one that has another offer. */
export function boundToOffer(principal: Principal, name: string, { offers }: Config): Principal {
  if (principal.offer && principal.offer.name !== name)
    throw new ToolError('TOOL_DENIED', `${principal.name} has the offer "${principal.offer.name}" only.`, {
      hint: 'Use the address of that offer, or a token without one.',
    })
  return { ...principal, offer: { name, tools: offerNamed(name, offers).tools } }
}

/** An offer by its name; throws OFFER_NOT_FOUND with near names. */
export function offerNamed(name: string, offers: Config['offers']): Config['offers'][string] {
  if (Object.hasOwn(offers, name)) return offers[name]!
  throw new ToolError('OFFER_NOT_FOUND', `There is no offer "${name}".`, { hint: offerHint(name, offers) })
}

/** Which offer a wrong name may have meant. */
export function offerHint(name: string, offers: Config['offers']): string {
  const names = Object.keys(offers)
  const [near] = nearNames(name, names, 1)
  if (near !== undefined) return `Did you mean "${near}"?`
  return names.length > 0
    ? `There are ${names.join(', ')}.`
    : `Write one into toolcrib.yaml: offers: { ${name}: { tools: ["*"] } }.`
}

/**
 * The names that a client knows tools by. A new name that another one of them has already is not given: a call must
 * never reach another tool than the one that was meant.
 */
export function offeredNames(
  tools: readonly Tool[],
  rename: { readonly [old: string]: string } = {},
): ReadonlyMap<Tool, string> {
  const wanted = (tool: Tool) => ownValue(rename, tool.name) ?? ownValue(rename, tool.id)
  const taken = new Set(tools.filter((tool) => wanted(tool) === undefined).map((tool) => tool.name))
  return new Map(
    tools.map((tool) => {
      const given = wanted(tool)
      const name = given === undefined || taken.has(given) ? tool.name : given
      taken.add(name)
      return [tool, name]
    }),
  )
}

function ownValue(map: { readonly [key: string]: string }, key: string): string | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined
}
