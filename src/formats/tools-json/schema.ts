// The JSON Schema of tools.json for editors: completion, descriptions and first mistakes while typing. Loading
// does not use it; `toolcrib check` says more, because it also compares the parts with each other.
import { argKinds } from '../../tool/plans/command-plan.ts'
import type { JsonSchema } from '../../tool/tool.ts'

const optional = (schema: { readonly type: string; readonly [key: string]: unknown }) => ({
  ...schema,
  type: [schema.type, 'null'],
})
const text = (description: string) => optional({ type: 'string', description })
const flag = (description: string) => optional({ type: 'boolean', description })
const texts = (description: string) => optional({ type: 'array', items: { type: 'string' }, description })
const timeoutMs = optional({
  type: 'integer',
  minimum: 1,
  maximum: 600_000,
  description: 'Time limit in milliseconds.',
})

const helper = {
  script: text('File in the scripts folder of the skill (with or without .sh); needs skills.allowScripts.'),
  binary: text('Allowlisted program, when there is no script.'),
  subcommand: text('Its allowlisted subcommand; may be empty.'),
  args: texts('Arguments.'),
  timeoutMs,
}

const kindPattern = `^(${argKinds.map((kind) => [...kind].map((char) => `[${char}${char.toUpperCase()}]`).join('')).join('|')})$`

const arg = {
  type: 'object',
  properties: {
    param: text('Name of the parameter; every kind but literal needs it.'),
    kind: {
      description: 'How the value reaches the program.',
      default: 'positional',
      anyOf: [{ enum: [...argKinds] }, { type: 'string', pattern: kindPattern }, { type: 'null' }],
    },
    flag: optional({
      type: 'string',
      minLength: 1,
      description: 'Option name; n is -n, name is --name, a leading dash stays. Default: param.',
    }),
    flagIfTrue: text('flagifboolean: what true emits, as one entry.'),
    flagIfFalse: text('flagifboolean: what false, or nothing, emits, as one entry.'),
    subcommandOverride: text('flagifboolean: when true, replaces the subcommand; must be allowlisted.'),
    normalizeNewlines: flag('Turns backslash-n and backslash-t in strings into a newline and a tab.'),
    resolveCommand: optional({
      type: 'object',
      description: 'Asks a script or command for the value; $param stands for the one given.',
      properties: helper,
      additionalProperties: false,
    }),
    allowLeadingDash: flag('Lets a positional value begin with "-"; put a literal "--" before it.'),
    optional: flag('A missing positional may be skipped; a resolver is asked with an empty text.'),
    disambiguateAfterSkippedPositionals: flag(
      'Emits "--" before this positional when an earlier one was skipped.',
    ),
    absentDefault: {
      description: 'The value when the parameter is missing.',
      type: ['string', 'number', 'boolean', 'array', 'null'],
      items: { type: ['string', 'number', 'boolean'] },
    },
    split: flag('positional: splits the text on whitespace into entries.'),
    value: text('literal: the text to emit.'),
    denyPattern: optional({
      type: 'string',
      format: 'regex',
      description: 'A value this regular expression matches is refused.',
    }),
    readPath: flag('The text is a path the tool must be allowed to read.'),
    writePath: flag('The text is a path the tool must be allowed to write.'),
  },
  additionalProperties: false,
}

const hint = {
  type: 'object',
  required: ['hint'],
  properties: {
    match: optional({ type: 'string', format: 'regex', description: 'Found in the output.' }),
    exitCode: { type: ['integer', 'string', 'null'], description: 'A code, or "nonzero".' },
    notEmpty: flag('There is output.'),
    whenArg: optional({ type: 'object', description: 'Parameters and the values they must have.' }),
    hint: { type: 'string', description: 'Appended to the output; {name} is filled from the parameters.' },
  },
  additionalProperties: false,
}

const execution = {
  type: 'object',
  required: ['tool', 'binary', 'subcommand'],
  properties: {
    tool: { type: 'string', description: 'Name of the tool this entry runs.' },
    binary: {
      type: 'string',
      minLength: 1,
      description: 'A program on PATH, or an absolute path; a key of allowlist.',
    },
    subcommand: {
      type: 'string',
      description: 'Split on whitespace; the whole text must be in allowlist[binary]. May be empty.',
    },
    args: optional({
      type: 'array',
      items: arg,
      description: 'How parameters become arguments, in this order.',
    }),
    timeoutMs,
    successExitCodes: optional({
      type: 'array',
      items: { type: 'integer' },
      description: 'Exit codes that count as success beside 0.',
    }),
    maxOutputLines: optional({
      type: 'integer',
      minimum: 1,
      description: 'Keeps the first lines of the output.',
    }),
    postProcess: optional({
      type: 'object',
      description: 'Gets the output on standard input; what it prints replaces it.',
      properties: { ...helper, emptyIsResult: flag('An empty answer counts.') },
      additionalProperties: false,
    }),
    paramCondition: optional({
      type: 'object',
      description: 'When this entry is used: parameters the caller gives, and does not give.',
      properties: { present: texts('Given.'), absent: texts('Not given.') },
      additionalProperties: false,
    }),
    hintConditions: optional({ type: 'array', items: hint, description: 'Hints appended to the output.' }),
  },
  additionalProperties: false,
}

const tool = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'What a model calls.' },
    description: text('What the tool does, for the model.'),
    parameters: { type: ['object', 'null'], description: 'JSON Schema of type object.' },
    timeoutMs,
  },
  additionalProperties: false,
}

const allowlist = {
  type: 'object',
  description: 'Program to the subcommands it may be run with. Nothing else can be started.',
  additionalProperties: { type: 'array', items: { type: 'string' } },
}

const tools = { type: 'array', items: tool, description: 'The tools a model sees.' }

export const toolsJsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://toolcrib.dev/schema/tools-json.json',
  title: 'tools.json',
  description:
    'Tools of a skill that run allowlisted commands: one object, or a list of tools with allowlist.json and execution.json beside it.',
  anyOf: [
    {
      type: 'object',
      properties: {
        $schema: { type: 'string', description: 'For editors.' },
        tools,
        allowlist,
        execution: { type: 'array', items: execution, description: 'What each tool runs.' },
      },
      additionalProperties: false,
    },
    tools,
  ],
} as unknown as JsonSchema
