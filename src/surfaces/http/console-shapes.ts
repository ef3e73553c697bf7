// What the console's own routes answer.
import { layerStatusShape } from '../../sandbox/profile-shape.ts'
import { toolErrorShape } from '../../tool/outcome-shape.ts'
import { problemShape } from '../../tool/problem-shape.ts'
import { t } from '../../tool/shape.ts'
import { toolShape } from '../../tool/tool-shape.ts'

const { id, title, description, version, format, kind, tier, state, reason, tags, requires, trust, source } =
  toolShape.properties

export const expectedFenceShape = t.oneOf(['enforced', 'partial', 'advisory', 'in-process', 'off'], {
  description: 'What is expected to stand round a run of the tool here; each run carries its own label.',
})

export const catalogRowShape = t.object({
  id,
  title,
  description,
  version,
  format,
  kind,
  tier,
  state,
  reason,
  tags,
  requires,
  trust: trust.properties.status,
  fence: expectedFenceShape,
  stoppedBy: t.optional(t.text({ description: 'The check that would refuse every call by this token.' })),
  asks: t.optional(t.only(true, { description: 'A person is asked before it runs.' })),
  inHost: t.optional(t.only(true, { description: 'Its code runs inside the crib.' })),
  listed: t.boolean({ description: 'Shown by a plain list: callable, visible, able to run.' }),
  configurable: t.optional(t.only(true, { description: 'Has a settings form.' })),
  file: source.properties.file,
  line: source.properties.line,
  problems: t.optional(t.list(problemShape)),
})

export const catalogRowsShape = t.object({
  version: t.integer(),
  rows: t.list(catalogRowShape),
  problems: t.list(problemShape, { description: 'Problems of files and settings that belong to no tool.' }),
})

export const onionLayerShape = t.object({
  name: t.text(),
  kind: t.oneOf(['place', 'guard', 'middleware', 'hook']),
  tool: t.optional(t.text({ description: 'The tool that runs there, for middleware.' })),
  declaredBy: t.optional(t.text({ description: 'Whose metadata put it there.' })),
})

export const refusalShape = t.object({
  check: t.text({ description: 'The layer that refuses.' }),
  code: toolErrorShape.properties.code,
  message: toolErrorShape.properties.message,
  hint: toolErrorShape.properties.hint,
})

export const sourceFileShape = t.object({
  path: t.text(),
  text: t.orNull(t.text(), { description: 'null when it is not text or cannot be read; `note` says which.' }),
  note: t.optional(t.text()),
  digest: t.optional(
    t.text({ description: 'Of the text, where it can be saved from the console; what saves it says this.' }),
  ),
})

export const consoleInfoShape = t.object({
  version: t.text(),
  name: t.text(),
  isAdmin: t.boolean(),
  trust: t.text(),
  sandbox: t.text(),
  recordsParams: t.boolean({
    description: 'Whether runs are recorded with their parameters, so that they can be replayed.',
  }),
  canEdit: t.boolean({ description: 'Files may be changed from here: `serve --edit`.' }),
  root: t.optional(t.text({ description: 'For admins.' })),
  layers: t.optional(t.list(layerStatusShape, { description: 'For admins.' })),
})
