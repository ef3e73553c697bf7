// docs/configuration.md, made from the schema of toolcrib.yaml.
import { defaultConfig } from '../../src/config/config.ts'
import { envNameOf } from '../../src/config/config-from-env.ts'
import { configSchema } from '../../src/config/config-schema.ts'
import { isPlainObject } from '../../src/tool/json.ts'
import { table } from './table.ts'

type Schema = { readonly [key: string]: unknown }

const seen = `\`\`\`console
$ toolcrib config explain | grep -E '^(trust|sandbox.mode|approve) '
trust … "warn" … /crib/toolcrib.yaml
sandbox.mode … "preferred" … /crib/toolcrib.yaml
approve … ["#destructive"] … /crib/toolcrib.yaml
\`\`\``

const example = `\`\`\`yaml file=toolcrib.yaml
# yaml-language-server: $schema=.toolcrib/schemas/config.json
trust: warn                    # off | warn | require
sandbox: preferred             # required | preferred | off
grants:
  default: [fs.read, fs.write]
  tools:
    "rye/web/fetch": [net.http]
    "rye/bash/*": ["fs.write:out/**"]
approve: ["#destructive"]      # ask a person first
serve: { port: 4747 }
\`\`\``

export function configurationPage(): string {
  const rows = rowsOf(configSchema as Schema, '')
  return `${[
    '# Configuration',
    seen,
    'Made from the schema of `toolcrib.yaml` by `npm run docs`. Nothing has to be configured; a file at the root of the crib changes what it names.',
    example,
    'A flag wins over the environment (`TOOLCRIB_*`), that over the project’s `toolcrib.yaml`, that over the user’s `~/.config/toolcrib/config.yaml`, that over the defaults. `toolcrib config explain` shows every value with the place it came from; an unknown key is a problem with its line.',
    '## Grants',
    'A tool that states what it needs starts only when each capability is granted; a tool that states nothing gets `grants.default`. A grant may carry a scope after a colon: `net.http` opens public addresses, `net.http:127.0.0.1:8080` exactly that one, `fs.write:out/**` narrows the area. A key of `grants.tools` is a glob on the id, or `#tag`.',
    '## Every setting',
    table(['setting', 'values', 'default', 'variable', 'meaning'], rows),
    '## For editors',
    '```console\n$ toolcrib schema --write\n…\n/crib/.toolcrib/schemas/tool.json\n```',
    '`toolcrib new` writes the schemas too, and every file it makes points to its own. `examples/.vscode/settings.json` shows the same for files without such a line.',
  ].join('\n\n')}\n`
}

function rowsOf(schema: Schema, path: string): string[][] {
  const properties = (schema['properties'] ?? {}) as { readonly [name: string]: Schema }
  return Object.entries(properties).flatMap(([name, property]) => {
    if (name === '$schema') return []
    const key = path ? `${path}.${name}` : name
    const inner = property['properties'] ? rowsOf(property, key) : []
    const fallback = property['default'] ?? valueAt(key)
    const own = [
      `\`${key}\``,
      valuesOf(property),
      fallback === undefined || (isPlainObject(fallback) && inner.length > 0)
        ? ''
        : `\`${JSON.stringify(fallback)}\``,
      inner.length > 0 ? '' : `\`${envNameOf(key)}\``,
      String(property['description'] ?? ''),
    ]
    return [own, ...inner]
  })
}

function valueAt(key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((value, part) => (isPlainObject(value) ? value[part] : undefined), defaultConfig)
}

function valuesOf(schema: Schema): string {
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => `\`${value}\``).join(', ')
  if (Array.isArray(schema['anyOf']))
    return (schema['anyOf'] as Schema[]).map(valuesOf).filter(Boolean).join(' or ')
  const type = [schema['type'] ?? ''].flat().join(' or ')
  return type === 'array' ? 'list' : type === 'object' ? 'map' : type
}
