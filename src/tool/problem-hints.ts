// What to do about a problem where the place that found it knows nothing better. Every problem has a hint.

const fallback = 'Fix what is named here, then run `toolcrib check`.'

const hints: { readonly [code: string]: string } = {
  // Rye
  'metadata-parse': 'Write the metadata as literals, without expressions.',
  'field-type': 'Give the field a value of the type that is named; `toolcrib schema rye` lists them.',
  'missing-field': 'Add the field; `toolcrib new rye <id>` shows a complete tool.',
  'description-fallback': 'Add __tool_description__, so that a model knows when to use the tool.',
  'tool-id-derived': 'Add tool_id, or name the file as the tool is called.',
  'tool-id-style': 'Use small letters, digits, - and _ in the id.',
  'tool-id-invalid': 'Name the file with letters, digits, - and _.',
  'tool-id-duplicate': 'Rename one of the two, or delete it.',
  'category-mismatch': 'Let the category be the folder below tools/, or move the file.',
  'version-invalid': 'Write three numbers, such as 1.0.0.',
  'executor-null-type': 'Give the primitive the tool_type primitive, or the tool an executor_id.',
  'executor-missing': 'Add executor_id, such as rye/core/runtimes/python/function.',
  'executor-absent': 'Add executor_id, such as rye/core/runtimes/python/function.',
  'executor-language': 'Use an executor for the language of the file.',
  'param-type-invalid': 'Use a type of JSON Schema: string, number, integer, boolean, array, object or null.',
  'param-type-unknown': 'Use a type of JSON Schema: string, number, integer, boolean, array, object or null.',
  'param-duplicate': 'Keep one parameter of this name.',
  'capability-format': 'Write capabilities as dotted names, such as fs.read or net.http.',
  'pattern-invalid': 'Write a regular expression that JavaScript reads with the flag u.',
  'enum-empty': 'List at least one value, or take enum out.',
  'entry-missing': 'Add the function that the runtime calls, or name the one there is.',
  'schema-invalid':
    'Fix the JSON Schema at the place that is named; draft 2020-12 is read, and draft-07 where $schema says so.',
  'schema-not-static': 'Write the schema as a literal, so that it can be read without running the file.',
  'schema-conflict': 'Keep one of the two definitions of the parameters.',
  'schema-inferred': 'Write a schema to say more than what the code shows.',
  'duplicate-id': 'Rename one of the two files.',
  'default-invalid': 'Give a default that the schema of the parameter allows, or take it out.',
  'helper-typed': 'Take the tool_type out, or move the file to where tools lie.',
  shadowed: 'Rename one of them, or remove this one.',
  deprecated:
    'Use what its description names in its place; take `deprecated` out of the metadata when it is not.',
  'symlink-escape': 'Copy the file into the crib instead of linking to it.',
  'config-resolve-invalid': 'Fix the entry of the configuration that is named.',
  'mcp-config': 'Give the server a command or a url.',
  'mcp-transport': 'Use stdio or http.',
  'command-from-param': 'Write the command down; a parameter may only be one of its arguments.',
  'shell-template': 'Pass the parameter as an argument of its own, not inside the text of a shell.',
  'no-code': 'Add the file that the tool runs.',
  'param-undocumented': 'Add a description, so that a model knows what to put there.',
  'param-name-style': 'Rename it in snake_case, such as max_results.',
  'no-main-block': 'Add an `if __name__ == "__main__":` block that reads the parameters.',
  'chain-too-deep': 'Let an executor nearer to a primitive run the tool.',
  'chain-cycle': 'Let one of the executors name a primitive.',
  'executor-not-found': 'Name an executor that is there; see `toolcrib list --kind runtime`.',
  'executor-tier': 'Use an executor of the same tier or a lower one.',
  'unknown-primitive': 'Use one of the primitives that are there; see `toolcrib list --kind primitive`.',
  // tool-code
  'tc-json': 'Fix the JSON; `toolcrib new tool-code <id>` shows a complete document.',
  'tc-legacy-v1': 'Write the tool as tool.code.v1; `toolcrib new tool-code <id>` shows one.',
  'tc-duplicate': 'Rename one of the two tools, or delete it.',
  'tc-older': 'Delete the older document, or raise its version.',
  'tc-unknown-field': 'See `toolcrib schema tool-code` for the fields there are.',
  'tc-tag-missing': 'Add the tag, so that others find the document.',
  'tc-field-missing': 'Add the field; see `toolcrib schema tool-code`.',
  'tc-era-conflict': 'Keep the field of one era of the format.',
  'tc-name': 'Use letters, digits, - and _, at most 64 of them.',
  'tc-description': 'Say in a sentence what the tool does and when to use it.',
  'tc-version': 'Write three numbers, such as 1.0.0.',
  'tc-source-misplaced': 'Put the program into context.code.source.',
  'tc-language': 'Write the program in typescript or javascript.',
  'tc-source-empty': 'Put the program into context.code.source.',
  'tc-source-file': 'Name a .ts or .js file beside the document.',
  'tc-source-syntax': 'Fix the program at the line that is named.',
  'tc-no-execute': 'Export a function: `export async function execute(input, context) { … }`.',
  'tc-import-denied': 'Add the prefix to context.permissions.imports, or take the import out.',
  'tc-schema-invalid': 'Fix the JSON Schema at the place that is named.',
  'tc-example': 'Give the example an input that the input schema allows.',
  'tc-limit': 'Use a number within the limits that are named.',
  'tc-permission': 'See `toolcrib schema tool-code` for what permissions may say.',
  'tc-secrets': 'List the names of secrets as text, such as API_KEY.',
  'tc-subscription': 'Give each subscription a schema_name; see `toolcrib schema tool-code`.',
  'tc-ui-schema': 'Fix the field of the form; see `toolcrib schema tool-code`.',
  'tc-api-ungranted': 'Add it to context.permissions, or take the call out of the program.',
  'tc-bootstrap': 'See `toolcrib schema tool-code` for what bootstrap may say.',
  'tc-bootstrap-input': 'Give bootstrap an input that the input schema allows.',
  'tc-wait-missing': 'Name a tool that is there, or take the name out of wait_for.',
  'tc-wait-idle': 'Let the tool start with the crib too, or take its name out of wait_for.',
  'tc-wait-cycle': 'Take one of the names out of wait_for.',
  // tools.json and skills
  'arg-no-param': 'Name a parameter that the tool has.',
  'descriptor-key-missing': 'Add the key; see `toolcrib schema tools-json`.',
  'descriptor-parse': 'Fix the JSON.',
  'descriptor-shape': 'Give it the type that is named; see `toolcrib schema tools-json`.',
  'kind-invalid': 'Use one of the kinds of `toolcrib schema tools-json`.',
  'parameters-not-object': 'Write parameters as a JSON Schema of the type object.',
  'resolve-invalid': 'See `toolcrib schema tools-json` for what a resolver may say.',
  'tool-name-invalid': 'Use letters, digits, - and _, at most 64 of them.',
  'binary-name-invalid': 'Name the program alone, as it is found on PATH, or by its absolute path.',
  'binary-not-allowlisted': 'Add the program to the allowlist of the descriptor, or use one that is in it.',
  'execution-no-tool': 'Name a tool of this descriptor, or take the entry out.',
  'param-not-in-schema': 'Add the parameter to the schema, or take it out here.',
  'resolve-not-allowlisted': 'Add the command to the allowlist of the descriptor, or use one that is in it.',
  'script-name-invalid': 'Name a file of the scripts folder of the skill, without a path.',
  'subcommand-not-allowlisted':
    'Add the subcommand to the allowlist of the descriptor, or use one that is in it.',
  'skill-unreadable': 'Make the file readable, as text in UTF-8.',
  'mcp-server-failed':
    'Start the server by hand to see what it says; `toolcrib doctor` checks what it needs.',
  SKILL_SYNTAX: 'Fix the code at the line that is named.',
  ANNOTATION_NO_EFFECT: 'Take it out, or put it where it counts.',
}

/** What to do about a problem of this code. */
export function hintFor(code: string): string {
  return hints[code] ?? fallback
}

/** Whether the code has a hint of its own. */
export function hasOwnHint(code: string): boolean {
  return code in hints
}
