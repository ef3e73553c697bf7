// A table that is asked for names from code: of those that every object has, `constructor` for one, it knows nothing.

export function table<Entries extends object>(entries: Entries): Entries {
  return Object.assign(Object.create(null), entries)
}
