// The descriptor tools.json, object by object, declared once: the loader reads by these shapes, and editors complete
// and check by the schema made of them. `toolcrib check` says more, because it compares the parts with each other.
import type { Json } from '../../tool/json.ts'
import { argKinds } from '../../tool/plans/command-plan.ts'
import { type Static, schemaOf, type TSchema, t } from '../../tool/shape.ts'
import type { JsonSchema } from '../../tool/tool.ts'

/** A field that may be left out, or null. */
const maybe = <T extends TSchema>(shape: T) => t.optional<T>({ ...shape, type: [shape['type'], 'null'] })
const text = (description: string) => maybe(t.text({ description }))
const flag = (description: string) => maybe(t.boolean({ description }))
const texts = (description: string) => maybe(t.list(t.text(), { description }))
const timeoutMs = maybe(
  t.integer({ minimum: 1, maximum: 600_000, description: 'Time limit in milliseconds.' }),
)

export const toolShape = t.closed({
  name: t.text({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'What a model calls.' }),
  description: text('What the tool does, for the model.'),
  parameters: maybe(t.anyObject({ description: 'JSON Schema of type object.' })),
  timeoutMs,
})

const helperFields = {
  script: text('File in the scripts folder of the skill (with or without .sh); needs skills.allowScripts.'),
  binary: text('Allowlisted program, when there is no script.'),
  subcommand: text('Its allowlisted subcommand; may be empty.'),
  args: texts('Arguments.'),
  timeoutMs,
}

export const helperShape = t.closed(helperFields, {
  description: 'Asks a script or command for the value; $param stands for the one given.',
})

export const postProcessShape = t.closed(
  { ...helperFields, emptyIsResult: flag('An empty answer counts.') },
  { description: 'Gets the output on standard input; what it prints replaces it.' },
)

const kindPattern = `^(${argKinds.map((kind) => [...kind].map((char) => `[${char}${char.toUpperCase()}]`).join('')).join('|')})$`

export const argShape = t.closed({
  param: text('Name of the parameter; every kind but literal needs it.'),
  kind: t.optional(
    t.any<string>({
      description: 'How the value reaches the program.',
      default: 'positional',
      anyOf: [
        { type: 'string', enum: [...argKinds] },
        { type: 'string', pattern: kindPattern },
        { type: 'null' },
      ],
    }),
  ),
  flag: maybe(
    t.text({
      minLength: 1,
      description: 'Option name; n is -n, name is --name, a leading dash stays. Default: param.',
    }),
  ),
  flagIfTrue: text('flagifboolean: what true emits, as one entry.'),
  flagIfFalse: text('flagifboolean: what false, or nothing, emits, as one entry.'),
  normalizeNewlines: flag('Turns backslash-n and backslash-t in strings into a newline and a tab.'),
  resolveCommand: maybe(helperShape),
  allowLeadingDash: flag('Lets a positional value begin with "-"; put a literal "--" before it.'),
  optional: flag('A missing positional may be skipped; a resolver is asked with an empty text.'),
  disambiguateAfterSkippedPositionals: flag(
    'Emits "--" before this positional when an earlier one was skipped.',
  ),
  absentDefault: t.optional(
    t.any<Json>({
      description: 'The value when the parameter is missing.',
      type: ['string', 'number', 'boolean', 'array', 'null'],
      items: { type: ['string', 'number', 'boolean'] },
    }),
  ),
  split: flag('positional: splits the text on whitespace into entries.'),
  value: text('literal: the text to emit.'),
  subcommandOverride: text('flagifboolean: when true, replaces the subcommand; must be allowlisted.'),
  denyPattern: maybe(
    t.text({ format: 'regex', description: 'A value this regular expression matches is refused.' }),
  ),
  readPath: flag('The text is a path the tool must be allowed to read.'),
  writePath: flag('The text is a path the tool must be allowed to write.'),
})

export const paramConditionShape = t.closed(
  { present: texts('Given.'), absent: texts('Not given.') },
  { description: 'When this entry is used: parameters the caller gives, and does not give.' },
)

export const hintShape = t.closed({
  match: maybe(t.text({ format: 'regex', description: 'Found in the output.' })),
  exitCode: t.optional(
    t.any<number | 'nonzero'>({
      anyOf: [{ type: 'integer' }, { const: 'nonzero' }, { type: 'null' }],
      description: 'A code, or "nonzero".',
    }),
  ),
  notEmpty: flag('There is output.'),
  whenArg: maybe(
    t.anyObject<{ readonly [param: string]: Json }>({
      description: 'Parameters and the values they must have.',
    }),
  ),
  hint: t.text({ description: 'Appended to the output; {name} is filled from the parameters.' }),
})

export const executionShape = t.closed({
  tool: t.text({ description: 'Name of the tool this entry runs.' }),
  binary: t.text({ description: 'A program on PATH, or an absolute path; a key of allowlist.' }),
  subcommand: t.text({
    description: 'Split on whitespace; the whole text must be in allowlist[binary]. May be empty.',
  }),
  args: maybe(t.list(argShape, { description: 'How parameters become arguments, in this order.' })),
  timeoutMs,
  successExitCodes: maybe(t.list(t.integer(), { description: 'Exit codes that count as success beside 0.' })),
  maxOutputLines: maybe(t.integer({ minimum: 1, description: 'Keeps the first lines of the output.' })),
  postProcess: maybe(postProcessShape),
  paramCondition: maybe(paramConditionShape),
  hintConditions: maybe(t.list(hintShape, { description: 'Hints appended to the output.' })),
})

/** The fields of one argument that were sound. */
export type ArgFields = Partial<Static<typeof argShape>>
export type ExecutionFields = Partial<Static<typeof executionShape>>

const tools = t.list(toolShape, { description: 'The tools a model sees.' })

/** One file; `$schema` is for editors. */
export const descriptorShape = t.closed({
  $schema: t.optional(t.text({ description: 'For editors.' })),
  tools: t.optional(tools),
  allowlist: t.optional(
    t.map(t.list(t.text()), {
      description: 'Program to the subcommands it may be run with. Nothing else can be started.',
    }),
  ),
  execution: t.optional(t.list(executionShape, { description: 'What each tool runs.' })),
})

export const toolsJsonSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://toolcrib.dev/schema/tools-json.json',
  title: 'tools.json',
  description:
    'Tools of a skill that run allowlisted commands: one object, or a list of tools with allowlist.json and execution.json beside it.',
  anyOf: [schemaOf(descriptorShape), schemaOf(tools)],
}
