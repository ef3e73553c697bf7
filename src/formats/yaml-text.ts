// YAML for files that other programs read too: what older readers take for a boolean, a time or a number is quoted.
import { lazyModule } from '../tool/lazy-module.ts'

const yaml = lazyModule<typeof import('yaml')>('yaml')

export function yamlText(value: unknown): string {
  return yaml().stringify(value, { version: '1.1' })
}
