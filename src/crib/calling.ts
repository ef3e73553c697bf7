// What a crib needs to call a tool: checks and wrappers, the kernel that carries a call through them, and what skills
// and agents see of the crib. Made by its first use: whoever only lists tools loads none of it.
import type { Resolver } from '../catalog/resolver.ts'
import { version } from '../config/version.ts'
import { Offers } from '../guards/offers.ts'
import { standardParts } from '../guards/registry.ts'
import { SkillCalls } from '../guards/skills/skill-calls.ts'
import { Kernel } from '../kernel/kernel.ts'
import type { CribView } from '../runtimes/agent/crib-view.ts'
import { agentsView } from './agents-view.ts'
import type { CribCore } from './crib-core.ts'
import { type CribServices, type GuardParts, guardServices } from './guard-services.ts'
import type { Pieces } from './plugin.ts'

export interface Calling {
  readonly services: CribServices
  readonly kernel: Kernel
  /** Who is offered which tool. */
  readonly offers: Offers
  readonly skillCalls: SkillCalls
  readonly view: CribView
}

export interface CallingParts extends Omit<GuardParts, 'skillCalls'> {
  readonly pieces: Pieces
  readonly resolver: Resolver
}

export function makeCalling(crib: CribCore, { pieces, resolver, ...guards }: CallingParts): Calling {
  const services = guardServices(crib, { ...guards, skillCalls: () => skillCalls })
  const chain = [...standardParts(services), ...pieces.parts]
  const offers = new Offers(chain, () => Object.keys(crib.config.models).length > 0)
  let skillCalls!: SkillCalls
  const kernel = new Kernel({
    parts: chain,
    resolve: resolver.resolve,
    weaver: (made) => {
      skillCalls = makeSkillCalls(crib, made, resolver)
      return skillCalls
    },
  })
  const { env, catalog, skills, crumbs } = crib
  const runsInHost: CribView['runsInHost'] = (tool) => crib.runsInHost(tool)
  const view = agentsView({
    env,
    catalog,
    skills,
    kernel,
    calls: skillCalls,
    resolver,
    crumbs,
    offers,
    runsInHost,
  })
  return { services, kernel, offers, skillCalls, view }
}

function makeSkillCalls(crib: CribCore, kernel: Kernel, resolver: Resolver): SkillCalls {
  return new SkillCalls(kernel, {
    resolve: resolver.resolve,
    cascade: () => crib.skills.cascade,
    surroundings: () => ({
      root: crib.spaces.project,
      version: version(),
      nonlocals: crib.config.skills.nonlocals,
      globals: crib.globals,
    }),
    refresh: () => crib.reload(),
  })
}
