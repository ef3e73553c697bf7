// `{{secret:NAME}}` stands for a value the tool itself never holds: whoever carries its request outside puts it in,
// in `Authorization` and in headers the user named for it, and only towards a host that the tool's rule lists by name.

const mark = /\{\{secret:([^{}]+)\}\}/g

/** What a tool holds in place of a secret. */
export function secretPlaceholder(name: string): string {
  return `{{secret:${name}}}`
}

/** An entry of `placeholders`: `NAME`, or `NAME:Header,Header` where it may stand elsewhere than in Authorization. */
export function parsePlaceholder(entry: string): {
  readonly name: string
  readonly headers: readonly string[]
} {
  const [name, headers = ''] = entry.split(':', 2)
  const named = headers.split(',').map((header) => header.trim().toLowerCase())
  return { name: name!, headers: ['authorization', ...named.filter((header) => header !== '')] }
}

/** The secrets that a list of `placeholders` names. */
export function placeholderNames(entries: readonly string[] = []): string[] {
  return entries.map((entry) => parsePlaceholder(entry).name)
}

/**
 * The value of a header with every placeholder replaced that may stand in it; others stay as they are. The keys of
 * `secrets` are entries of `placeholders`.
 */
export function revealSecrets(
  header: string,
  text: string,
  secrets: { readonly [entry: string]: string },
): string {
  return text.replace(mark, (whole, name: string) => {
    const entry = Object.keys(secrets).find((key) => {
      const placeholder = parsePlaceholder(key)
      return placeholder.name === name && placeholder.headers.includes(header.toLowerCase())
    })
    return entry === undefined ? whole : secrets[entry]!
  })
}
