// One thing that code can touch, as reading or watching it tells, and the words for it.
import { type CapabilityName, capabilityNames, grantText } from './capabilities.ts'
import { type Static, t } from './shape.ts'

export const findingShape = t.object(
  {
    capability: t.oneOf(capabilityNames),
    detail: t.optional(
      t.text({
        description: 'The host, path, program or name; a path or host that goes on unknown ends in *.',
      }),
    ),
    port: t.optional(t.integer({ description: 'Of a host that is named without one, where it is not 443.' })),
    certainty: t.oneOf(['exact', 'bounded', 'unknown'], {
      description: 'exact: a literal; bounded: from a parameter or a known beginning; unknown: neither.',
    }),
    file: t.optional(t.text({ description: 'Absolute.' })),
    line: t.integer({ minimum: 1 }),
    column: t.integer({ minimum: 1 }),
  },
  { description: 'One thing that the code of a tool can touch.' },
)

export interface Finding extends Static<typeof findingShape> {}

/** What two findings of the same thing have in common: `net.http:example.com`. */
export function findingKey({ capability, detail }: Pick<Finding, 'capability' | 'detail'>): string {
  return grantText({ capability, scope: detail })
}

const inWords: {
  readonly [name in CapabilityName]?: readonly [some: string, which: (what: string) => string]
} = {
  'fs.read': ['reads files', (path) => `reads ${path}`],
  'fs.write': ['writes files', (path) => `writes ${path}`],
  'net.http': ['reaches hosts', (host) => `reaches ${host}`],
  'net.call': ['opens connections', (host) => `connects to ${host}`],
  'shell.execute': ['starts programs', (name) => `starts ${name}`],
  'rye.execute': ['calls tools', (name) => `calls the tool ${name}`],
  'env.read': [
    'reads its environment',
    (name) => (name === '*' ? 'reads its whole environment' : `reads the variable ${name}`),
  ],
  'secrets.read': ['reads secrets', (name) => `reads the secret ${name}`],
  'code.dynamic': ['runs code made while it runs', (how) => `runs ${how} code`],
  'host.persist': ['stays after the call', (where) => `stays after the call by ${where}`],
  'code.unknown': ['does what reading does not tell', (what) => `may do more than reading tells: ${what}`],
}

/** In words: `reads ~/.ssh/id_rsa`, `reaches 203.0.113.7`, `runs decoded code`. */
export function findingWords({ capability, detail }: Pick<Finding, 'capability' | 'detail'>): string {
  const [some, which] = inWords[capability] ?? [
    `uses ${capability}`,
    (what: string) => `uses ${capability} for ${what}`,
  ]
  return detail === undefined ? some : which(detail)
}
