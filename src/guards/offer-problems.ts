// Offers that do not hold what they say (D18): a pattern or an old name that fits no tool, a name given twice, a token
// for an offer that is not there.
import { isListed } from '../catalog/catalog.ts'
import type { Config } from '../config/config.ts'
import { hintForPattern, isOfSilentServer } from '../sandbox/grant-problems.ts'
import { nearNames } from '../tool/near-names.ts'
import type { Problem } from '../tool/problem.ts'
import type { Tool } from '../tool/tool.ts'
import { isSelected, offeredNames, offerHint } from './offer-selection.ts'

interface Settings {
  readonly config: Config
  /** Where each setting comes from. */
  readonly origins: { readonly [key: string]: string }
}

export function offerProblems(tools: readonly Tool[], { config, origins }: Settings): Problem[] {
  const file = (prefix: string) =>
    Object.entries(origins).find(([key, from]) => key.startsWith(prefix) && from.endsWith('.yaml'))?.[1]
  const ofOffers = Object.entries(config.offers).flatMap(([name, offer]) =>
    problemsOf(`offers.${name}`, offer, tools).map((problem) => ({ ...problem, file: file('offers') })),
  )
  const ofTokens = config.serve.tokens.flatMap(({ name, offer }) =>
    offer === undefined || Object.hasOwn(config.offers, offer)
      ? []
      : [
          problem(
            'offer-unknown',
            `The token "${name}" has the offer "${offer}", which is not there; it is offered nothing.`,
            offerHint(offer, config.offers),
          ),
        ].map((found) => ({ ...found, file: file('serve') })),
  )
  return [...ofOffers, ...ofTokens]
}

function problemsOf(key: string, offer: Config['offers'][string], tools: readonly Tool[]): Problem[] {
  const unmatched = offer.tools
    .filter((pattern) => !tools.some((tool) => isSelected([pattern], tool)))
    .filter((pattern) => !isOfSilentServer(pattern, tools))
    .map((pattern) => {
      const message = `${key}.tools names "${pattern}", and no tool fits it.`
      return problem('offer-unmatched', message, hintForPattern(pattern, tools))
    })
  return [...unmatched, ...renameProblems(key, offer, tools)]
}

function renameProblems(key: string, offer: Config['offers'][string], tools: readonly Tool[]): Problem[] {
  const held = tools.filter((tool) => isListed(tool) && isSelected(offer.tools, tool))
  const names = offeredNames(held, offer.rename)
  return Object.entries(offer.rename ?? {}).flatMap(([old, name]) => {
    const tool = held.find((one) => one.name === old || one.id === old)
    if (tool && names.get(tool) === name) return []
    if (tool)
      return [
        problem(
          'offer-name-clash',
          `${key}.rename gives "${old}" the name "${name}", which another tool of the offer has.`,
          `Choose another name; until then it is "${tool.name}".`,
        ),
      ]
    if (isOfSilentServer(old, tools)) return []
    const known = held.map((one) => one.name)
    const [near] = nearNames(old, known, 1)
    return [
      problem(
        'offer-unmatched',
        `${key}.rename names "${old}", and the offer holds no such tool.`,
        near === undefined ? `It holds ${listed(known)}.` : `Did you mean "${near}"?`,
      ),
    ]
  })
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  return names.length > 8 ? `${names.slice(0, 8).join(', ')} and ${names.length - 8} more` : names.join(', ')
}

function problem(code: string, message: string, hint: string): Problem {
  return { code, severity: 'error', message, hint }
}
