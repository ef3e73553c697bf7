// `{{secret:NAME}}` stands for a value the tool itself never holds: whoever carries its request outside puts it in,
// in headers only, and only towards a host that the tool's rule lists by name.

const mark = /\{\{secret:([^{}]+)\}\}/g

/** What a tool holds in place of a secret. */
export function secretPlaceholder(name: string): string {
  return `{{secret:${name}}}`
}

/** The text with every placeholder of a known secret replaced; others stay as they are. */
export function revealSecrets(text: string, secrets: { readonly [name: string]: string }): string {
  return text.replace(mark, (whole, name: string) => (Object.hasOwn(secrets, name) ? secrets[name]! : whole))
}
