// What every context of one crib shares: its configuration, the skills that were loaded, a cache, and whatever skills
// add. Two cribs in one process share nothing.

export interface Globals {
  config: unknown
  tools: { [name: string]: unknown }
  cache: { [key: string]: unknown }
  [key: string]: unknown
}

export function makeGlobals(config: unknown): Globals {
  return { config, tools: {}, cache: {} }
}
