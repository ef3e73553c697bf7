// One thing that a tool reached for while it ran, allowed or not. What was denied becomes a proposal, what was allowed
// is what the tool uses.
import { type Static, t } from '../../tool/shape.ts'

const accessKinds = [
  'host',
  'read',
  'list',
  'write',
  'make',
  'program',
  'call',
  'variable',
  'capability',
  'limit',
] as const

const accessShape = t.object({
  kind: t.oneOf(accessKinds, {
    description:
      'host: a connection; read, write: a file; list: the entries of a folder; make: an entry that is made, moved or removed; program: one that it starts; call: another tool; variable: of the environment, as the run or the code tells; capability: one that its definition requires; limit: one that it came to.',
  }),
  what: t.text({
    description:
      '`host:port`, a path from the crib (absolute outside it), a program, a tool, a variable, or a capability.',
  }),
  isDenied: t.boolean(),
  address: t.optional(t.text({ description: 'The address that a name led to.' })),
})

export interface Access extends Static<typeof accessShape> {}

/** Told of what a tool reaches for, by its id. */
export type OnAccess = (tool: string, access: Access) => void

/** `[::1]:443`, `example.com:443` */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
