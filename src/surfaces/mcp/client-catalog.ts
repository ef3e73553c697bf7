// What one principal is offered, worked out once per version of the catalog: definitions, names, prompts,
// resources. Servers are made per connection or request and share it.
import type { Tool as McpTool, Prompt, Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import { isListed } from '../../catalog/catalog.ts'
import type { Expose } from '../../config/config.ts'
import type { Crib } from '../../crib/crib.ts'
import { recordedOutOfSight } from '../../crib/tool-in-sight.ts'
import { offeredNames } from '../../guards/offer-selection.ts'
import { isUnrestricted, type Principal } from '../../tool/principal.ts'
import { parseRef } from '../../tool/ref.ts'
import { timeId } from '../../tool/time-id.ts'
import { isReadKind, type Tool } from '../../tool/tool.ts'
import { isToolError, type ToolError } from '../../tool/tool-error.ts'
import { maySee } from '../http/principals.ts'
import { extraPrompts, extraResources, extraTemplates, type McpExtras } from './extras.ts'
import {
  type ForeignOffer,
  foreignOffer,
  promptDefinitions,
  resourceDefinitions,
  templateDefinitions,
} from './foreign-offer.ts'
import { isQuick } from './quick-call.ts'
import { isForPeople, promptOf, resourcesOf, skillsOf, skillTemplate } from './skills.ts'
import { toolDefinition } from './tool-definition.ts'

interface Offer {
  readonly version: number
  readonly tools: readonly McpTool[]
  readonly byName: ReadonlyMap<string, Tool>
  readonly names: ReadonlyMap<Tool, string>
  readonly quick: ReadonlyMap<string, Tool>
  readonly skills: ReadonlyMap<string, Tool>
  readonly prompts: readonly Prompt[]
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplateType[]
  /** What of it comes from foreign servers. */
  readonly foreign: ForeignOffer
}

export class ClientCatalog {
  readonly crib: Crib
  readonly principal: Principal
  readonly expose: Expose
  readonly extras: McpExtras
  /** What its calls belong together by, so that they can be taken back together (E14). */
  readonly session = `mcp-${timeId()}`
  #offer: Offer | undefined

  constructor(crib: Crib, principal: Principal, expose: Expose = 'all', extras: McpExtras = {}) {
    this.crib = crib
    this.principal = { ...principal, surface: 'mcp' }
    this.expose = expose
    this.extras = extras
  }

  /** The same list every time, sorted by id, until the catalog changes. */
  get tools(): readonly McpTool[] {
    return this.#current().tools
  }

  /** Tools whose calls can be plain, by name. */
  get quick(): ReadonlyMap<string, Tool> {
    return this.#current().quick
  }

  get skills(): ReadonlyMap<string, Tool> {
    return this.#current().skills
  }

  get prompts(): readonly Prompt[] {
    return this.#current().prompts
  }

  get resources(): readonly Resource[] {
    return this.#current().resources
  }

  get templates(): readonly ResourceTemplateType[] {
    return this.#current().templates
  }

  get foreign(): ForeignOffer {
    return this.#current().foreign
  }

  /** The tool that is offered by this name itself, not one that is reached through another. */
  toolNamed(name: string): Tool | undefined {
    return this.expose === 'all' ? this.#current().byName.get(name) : undefined
  }

  /** Whether it is offered anything of a foreign server. */
  hasServer(name: string): boolean {
    const { byName, foreign } = this.#current()
    const offered = [...byName.values(), ...foreign.prompts.values(), ...foreign.resources.values()]
    return offered.some(({ details }) => details?.server === name)
  }

  /** What this client calls the tool: its own name, or the one its offer gives it (D18). */
  nameOf(tool: Tool): string {
    return this.#current().names.get(tool) ?? tool.name
  }

  /** The definition of a tool as this client sees it. */
  definitionOf(tool: Tool): McpTool {
    return { ...toolDefinition(this.crib.described(tool)), name: this.nameOf(tool) }
  }

  /** The tool a client means by a name, judged as a call by name is; undefined when there is none for it. */
  async resolve(name: string): Promise<Tool | undefined> {
    const known = this.#current().byName.get(name)
    if (known) return known
    try {
      const ref = parseRef(name)
      if (ref.kind !== 'name' && ref.kind !== 'format') return undefined
      const tool = await this.crib.resolve(name, { as: this.principal })
      if (isReadKind(tool.kind)) return undefined
      return maySee(this.principal, tool, this.crib) ? tool : undefined
    } catch {
      return undefined
    }
  }

  /** The log-in that a tool nobody could list yet may wait for (U5); told to those who may see every tool. */
  async loginFor(name: string): Promise<ToolError | undefined> {
    if (!isUnrestricted(this.principal)) return undefined
    try {
      await this.crib.resolve(name, { as: this.principal })
    } catch (error) {
      if (isToolError(error) && error.code === 'AUTH_REQUIRED') return error
    }
    return undefined
  }

  /** Puts on record that a tool was asked for which is not for this one; with limits, whether it is there or not. */
  noteHidden(name: string): void {
    const isThere = this.crib.catalog.tools.some((one) => one.name === name || one.id === name)
    if (isThere || !isUnrestricted(this.principal))
      recordedOutOfSight(this.crib, name, { as: this.principal })
  }

  get #rename(): { readonly [old: string]: string } | undefined {
    const { offer } = this.principal
    return offer && this.crib.config.offers[offer.name]?.rename
  }

  #current(): Offer {
    const { version } = this.crib.catalog
    if (this.#offer?.version !== version) this.#offer = this.#make(version)
    return this.#offer
  }

  #make(version: number): Offer {
    const visible = this.crib.catalog.tools.filter((tool) => maySee(this.principal, tool, this.crib))
    const listed = this.crib.list().filter((tool) => this.crib.offers.isOffered(tool, this.principal))
    const skills = skillsOf(visible)
    const callable = visible.filter(isListed)
    const names = offeredNames(callable, this.#rename)
    const nameOf = (tool: Tool) => names.get(tool) ?? tool.name
    const prompts = [
      ...skills.filter(isForPeople).map((skill) => promptOf(this.crib.described(skill))),
      ...extraPrompts(this.extras),
    ]
    const resources = [...skills.flatMap(resourcesOf), ...extraResources(this.extras)]
    const taken = new Set([...prompts.map(({ name }) => name), ...resources.map(({ uri }) => uri)])
    const readable = visible.filter(
      (tool) =>
        isReadKind(tool.kind) &&
        tool.state === 'available' &&
        this.crib.offers.isOffered(tool, this.principal),
    )
    const foreign = foreignOffer(readable, this.crib.catalog.addresses, (text) => taken.has(text))
    return {
      version,
      tools: listed.map((tool) => ({ ...toolDefinition(this.crib.described(tool)), name: nameOf(tool) })),
      byName: new Map(callable.map((tool) => [nameOf(tool), tool])),
      names,
      quick: new Map(listed.filter((tool) => isQuick(tool, this.crib)).map((tool) => [nameOf(tool), tool])),
      skills: new Map(skills.map((tool) => [tool.id, tool])),
      prompts: [...prompts, ...promptDefinitions(foreign)],
      resources: [...resources, ...resourceDefinitions(foreign)],
      templates: [skillTemplate, ...extraTemplates(this.extras), ...templateDefinitions(foreign)],
      foreign,
    }
  }
}

/**
 * Gives foreign servers the time of `mcp.listTimeoutMs` to say what they have, before a list of it is told. A slower one
 * joins later, and the client hears that the list changed (U9).
 */
export function listed({ crib }: ClientCatalog): Promise<void> {
  return crib.discover()
}
