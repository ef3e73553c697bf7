// YAML for files that other programs read too: what older readers take for a boolean, a time or a number is quoted.
import { stringify } from 'yaml'

export function yamlText(value: unknown): string {
  return stringify(value, { version: '1.1' })
}
