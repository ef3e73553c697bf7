// What to do about a problem where the place that found it knows nothing better. Every problem has a hint.

const fallback = 'Fix what is named here, then run `toolcrib check`.'

/** By code; of codes that are somewhere reported without a hint. */
export const ownHints: { readonly [code: string]: string } = {
  // Rye
  'metadata-parse': 'Write the metadata as literals, without expressions.',
  'field-type': 'Give the field a value of the type that is named; `toolcrib schema rye` lists them.',
  'param-type-invalid': 'Use a type of JSON Schema: string, number, integer, boolean, array, object or null.',
  'pattern-invalid': 'Write a regular expression that JavaScript reads with the flag u.',
  'enum-empty': 'List at least one value, or take enum out.',
  'schema-invalid':
    'Fix the JSON Schema at the place that is named; draft 2020-12 is read, and draft-07 where $schema says so.',
  'default-invalid': 'Give a default that the schema of the parameter allows, or take it out.',
  deprecated:
    'Use what its description names in its place; take `deprecated` out of the metadata when it is not.',
  'param-undocumented': 'Add a description, so that a model knows what to put there.',
  'param-name-style': 'Rename it in snake_case, such as max_results.',
  // tool-code
  'tc-older': 'Delete the older document, or raise its version.',
  'tc-unknown-field': 'See `toolcrib schema tool-code` for the fields there are.',
  'tc-tag-missing': 'Add the tag, so that others find the document.',
  'tc-field-missing': 'Add the field; see `toolcrib schema tool-code`.',
  'tc-era-conflict': 'Keep the field of one era of the format.',
  'tc-name': 'Use letters, digits, - and _, at most 64 of them.',
  'tc-description': 'Say in a sentence what the tool does and when to use it.',
  'tc-version': 'Write three numbers, such as 1.0.0.',
  'tc-language': 'Write the program in typescript or javascript.',
  'tc-source-empty': 'Put the program into context.code.source.',
  'tc-source-syntax': 'Fix the program at the line that is named.',
  'tc-schema-invalid':
    'Fix the JSON Schema at the place that is named; draft 2020-12 is read, and draft-07 where $schema says so.',
  'tc-example': 'Give the example an input that the input schema allows.',
  'tc-limit': 'Use a number within the limits that are named.',
  'tc-permission': 'See `toolcrib schema tool-code` for what permissions may say.',
  'tc-secrets': 'List the names of secrets as text, such as API_KEY.',
  'tc-subscription': 'Give each subscription a schema_name; see `toolcrib schema tool-code`.',
  'tc-ui-schema': 'Fix the field of the form; see `toolcrib schema tool-code`.',
  'tc-bootstrap': 'See `toolcrib schema tool-code` for what bootstrap may say.',
  'tc-bootstrap-input': 'Give bootstrap an input that the input schema allows.',
  'tc-wait-missing': 'Name a tool that is there, or take the name out of wait_for.',
  // tools.json and skills
  'tool-duplicate': 'Give each of them a name of its own, or keep one.',
  'execution-duplicate': 'Keep one of the two entries, or say with paramCondition when each of them runs.',
  'flagifboolean-no-flag': 'Say in flagIfTrue, flagIfFalse or subcommandOverride what the parameter does.',
  'arg-no-param': 'Name a parameter that the tool has.',
  'descriptor-key-missing': 'Add the key; see `toolcrib schema tools-json`.',
  'descriptor-shape': 'Give it the type that is named; see `toolcrib schema tools-json`.',
  'kind-invalid': 'Use one of the kinds of `toolcrib schema tools-json`.',
  'parameters-not-object': 'Write parameters as a JSON Schema of the type object.',
  'resolve-invalid': 'See `toolcrib schema tools-json` for what a resolver may say.',
  'tool-name-invalid': 'Use letters, digits, - and _, at most 64 of them.',
  'binary-name-invalid': 'Name the program alone, as it is found on PATH, or by its absolute path.',
  'resolve-not-allowlisted': 'Add the command to the allowlist of the descriptor, or use one that is in it.',
  'script-name-invalid': 'Name a file of the scripts folder of the skill, without a path.',
  'skill-unreadable': 'Make the file readable, as text in UTF-8.',
  'mcp-server-failed':
    'Start the server by hand to see what it says; `toolcrib doctor` checks what it needs.',
  'mcp-list-incomplete':
    'Its server has to fix the list; `toolcrib list --refresh` asks it again, and everything else it offers can be used.',
  SKILL_FRONTMATTER_INVALID: 'Give the key a value of the type that is named, or take it out.',
  SCHEMA_INVALID:
    'Fix the JSON Schema at the place that is named; draft 2020-12 is read, and draft-07 where $schema says so.',
  SKILL_SYNTAX: 'Fix the code at the line that is named.',
  ANNOTATION_NO_EFFECT: 'Take it out, or put it where it counts.',
}

/** What to do about a problem of this code. */
export function hintFor(code: string): string {
  return ownHints[code] ?? fallback
}
