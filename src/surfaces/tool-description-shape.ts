// The shape of everything about one tool: what `show` prints and `GET /api/tools/{id}` answers.

import { profileShape } from '../sandbox/profile-shape.ts'
import { findingShape } from '../tool/finding.ts'
import type { Json } from '../tool/json.ts'
import { named, t } from '../tool/shape.ts'
import { chainLinkShape, toolShape } from '../tool/tool-shape.ts'

const { id, tier, kind, digest, trust } = chainLinkShape.properties

export const toolRightShape = t.object({
  right: t.oneOf(['network', 'breadcrumbs.read', 'breadcrumbs.write', 'tools', 'imports', 'secrets']),
  what: t.text({
    description:
      'A host (`public` for the whole public network), schema, tool, prefix or name, as it is written there.',
  }),
  from: t.oneOf(['declared', 'toolcrib.yaml']),
})

const { certainty, file, line, column } = findingShape.properties

export const toolCapabilityShape = t.object({
  capability: t.text({ description: '`fs.read`, `net.http`, `code.dynamic` …' }),
  detail: t.optional(t.text({ description: 'The host, path, program or name; absent: any, or not known.' })),
  declared: t.boolean({ description: 'Its definition says that it needs this.' }),
  inferred: t.list(t.object({ certainty, file, line, column }), {
    description: 'Where its code says that it can touch this.',
  }),
  used: t.optional(
    t.object(
      { count: t.integer(), lastAt: t.time() },
      { description: 'How often recorded runs used it, where the fence knows it; absent: never.' },
    ),
  ),
  granted: t.boolean({ description: 'A grant opens this to it.' }),
  unused: t.boolean({
    description: 'A grant that names this tool opens it, and no run used it in the last 50 runs or 30 days.',
  }),
})

export const toolDescriptionShape = t.object({
  tool: named('Tool', toolShape),
  chain: t.list(t.object({ id, tier, kind, digest, trust }), { description: 'Who runs it, itself first.' }),
  grants: t.list(t.text()),
  profile: profileShape,
  keeps: t.list(t.object({ what: t.text(), folder: t.text() }), {
    description:
      'Folders in which it keeps what it remembers: the home of a server, what it wrote beside its program.',
  }),
  capabilities: t.list(toolCapabilityShape, {
    description:
      'What it can touch: what its definition says, what its code tells, what runs used, what is granted.',
  }),
  instructions: t.optional(
    t.text({ description: 'What a foreign server tells clients of how to use it, as it was last heard.' }),
  ),
  details: t.optional(t.any<Json>({ description: 'What its format adds.' })),
  rights: t.optional(
    t.list(toolRightShape, {
      description: 'What a tool of the format tool-code may do beside that, and who says so.',
    }),
  ),
})
