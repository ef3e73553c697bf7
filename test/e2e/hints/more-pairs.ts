// More definitions with a fault, each in a crib of its own with what lies beside it; they are checked in this process.
import { toolDocument } from '../../../src/formats/tool-code/fixture.ts'

type Files = { readonly [path: string]: string | null }
export type Fixed = readonly [broken: Files, fixed: Files]

const rye = (changes: { readonly [key: string]: string | null } = {}): string =>
  Object.entries({
    version: '"1.0.0"',
    tool_type: 'script',
    executor_id: 'subprocess',
    category: '""',
    description: 'Says hello',
    config: '{ command: echo, args: [hello] }',
    ...changes,
  })
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')
const at = (id: string, changes: { readonly [key: string]: string | null } = {}) =>
  rye({ tool_id: id, ...changes })
const ryeFix = (changes: { readonly [key: string]: string | null }, fix = {}): Fixed => [
  { '.ai/tools/a.yaml': at('a', changes) },
  { '.ai/tools/a.yaml': at('a', { ...changes, ...fix }) },
]
const doc = (context: Record<string, unknown> = {}, rest: Record<string, unknown> = {}): string =>
  JSON.stringify({ ...toolDocument(context), ...rest })
const docFix = (broken: Record<string, unknown>, fixed: Record<string, unknown> = {}): Fixed => [
  { 'crumbs/a.json': doc({ name: 'a', ...broken }) },
  { 'crumbs/a.json': doc({ name: 'a', ...fixed }) },
]
const starts = (name: string, wait_for: string[], enabled = true) =>
  doc({ name, bootstrap: { enabled, mode: 'once', input: { a: 1 }, wait_for } })
const code = (text: string, language = 'typescript') => ({ code: { language, source: text } })
const markdown = (name: string, front = '', body = 'Say.\n') =>
  `---\nname: ${name}\ndescription: Says\n${front}---\n${body}`
const descriptor = (tool = 'say_it', changes: Record<string, unknown> = {}) =>
  JSON.stringify({
    tools: [{ name: tool, description: 'Says', parameters: { type: 'object', properties: {} } }],
    allowlist: { echo: [''] },
    execution: [{ tool, binary: 'echo', subcommand: '' }],
    ...changes,
  })

export const morePairs: { readonly [name: string]: Fixed } = {
  'a library without executor_id': ryeFix(
    { tool_type: 'library', executor_id: null, config: null },
    { executor_id: 'null' },
  ),
  'a library without a description': ryeFix(
    { tool_type: 'library', executor_id: 'null', config: null, description: null },
    { description: 'Says hello' },
  ),
  'two files of one id': [
    { '.ai/tools/a.yaml': at('a'), '.ai/tools/a.yml': at('a') },
    { '.ai/tools/a.yml': null },
  ],
  'two tools of one tool_id': [
    { '.ai/tools/a.yaml': at('same'), '.ai/tools/b.yaml': at('same') },
    { '.ai/tools/a.yaml': at('a'), '.ai/tools/b.yaml': at('b') },
  ],
  'a tool_id in snake_case': [{ '.ai/tools/a.yaml': at('read_it') }, { '.ai/tools/a.yaml': at('read-it') }],
  'a tool_id that is none': [{ '.ai/tools/a.yaml': at('"A b"') }, { '.ai/tools/a.yaml': at('a-b') }],
  'a parameter in the text of a shell': ryeFix(
    {
      parameters: '[{ name: word, type: string, required: true, description: What }]',
      config: '{ command: "echo {word}", shell: true }',
    },
    { config: '{ command: \'echo "$PARAM_WORD"\', shell: true }' },
  ),
  'executors in a circle': [
    {
      '.ai/tools/a.yaml': at('a', { executor_id: 'r', config: '{}' }),
      '.ai/tools/r.yaml': at('r', { tool_type: 'runtime', executor_id: 's', config: '{}' }),
      '.ai/tools/s.yaml': at('s', { tool_type: 'runtime', executor_id: 'r', config: '{}' }),
    },
    {
      '.ai/tools/a.yaml': at('a', { executor_id: 'r', config: '{}' }),
      '.ai/tools/s.yaml': at('s', {
        tool_type: 'runtime',
        executor_id: 'rye/core/primitives/subprocess',
        config: '{ command: echo, args: [hello] }',
      }),
    },
  ],
  'a tool that is deprecated': ryeFix({ metadata: '{ deprecated: true }' }, { metadata: '{}' }),
  'no input schema': docFix({ input_schema: undefined }),
  'no output schema': docFix({ output_schema: undefined }),
  'no examples': docFix({ examples: undefined }),
  'an example without output': docFix(
    { examples: [{ input: { a: 1 }, description: 'one' }] },
    {
      examples: [{ input: { a: 1 }, description: 'one', match: 'schema' }],
    },
  ),
  'a permission that no tool gets': docFix({ permissions: { ffi: true } }, { permissions: { ffi: false } }),
  'network in two spellings': docFix(
    { permissions: { network: ['a.example'], net: ['b.example'] } },
    {
      permissions: { network: ['a.example'] },
    },
  ),
  'an import that is no prefix': docFix(
    { permissions: { imports: ['zod'] } },
    {
      permissions: { imports: ['npm:zod@3'] },
    },
  ),
  'tools that are no names': docFix({ permissions: { tools: ['*'] } }, { permissions: { tools: ['a.*'] } }),
  'breadcrumbs that are no names': docFix(
    { permissions: { breadcrumbs: { read: ['a b'], write: [] } } },
    { permissions: { breadcrumbs: { read: ['note.*'], write: [] } } },
  ),
  'types in JavaScript': docFix(code('export const execute = (a: number) => a', 'javascript'), {
    ...code('export const execute = (a: number) => ({ sum: a })'),
  }),
  'an import of a file': docFix(code("import './x.js'\nexport const execute = () => ({ sum: 1 })")),
  'a name that is none': docFix({ name: 'a b' }),
  'no code': docFix({ code: undefined }),
  'the source beside the code': docFix({ code: undefined, source: 'export const execute = () => 1' }),
  'two documents of one version': [
    { 'crumbs/a.json': doc({ name: 'a' }), 'crumbs/b.json': doc({ name: 'a', description: 'Other' }) },
    { 'crumbs/b.json': doc({ name: 'b', description: 'Other' }) },
  ],
  'a tool that waits for an idle one': [
    { 'crumbs/a.json': starts('a', ['b']), 'crumbs/b.json': doc({ name: 'b' }) },
    { 'crumbs/b.json': starts('b', []) },
  ],
  'tools that wait for each other': [
    { 'crumbs/a.json': starts('a', ['b']), 'crumbs/b.json': starts('b', ['a']) },
    { 'crumbs/b.json': starts('b', []) },
  ],
  'store calls without the permission': docFix(
    code('export const execute = (a, { api }) => api.getBreadcrumb("x")', 'javascript'),
    {
      ...code('export const execute = (a, { api }) => api.getBreadcrumb("x")', 'javascript'),
      permissions: { breadcrumbs: { read: ['note.*'], write: [] } },
    },
  ),
  'a source file with a path': docFix({ code: { language: 'typescript', source_file: '../x.ts' } }),
  'two skills of one name': [
    {
      'skills/a/SKILL.md': markdown('a'),
      'skills/a/tools.json': descriptor('one'),
      'more/a/SKILL.md': markdown('a'),
      'more/a/tools.json': descriptor('two'),
      'toolcrib.yaml': 'skills: { extraDirs: [more] }\n',
    },
    { 'more/a/SKILL.md': null, 'more/a/tools.json': null, 'toolcrib.yaml': '' },
  ],
  'a skill whose program is not here': [
    {
      'skills/a/SKILL.md': markdown('a', 'metadata: { requires: { bins: [no-such-program] } }\n'),
      'skills/a/tools.json': descriptor(),
    },
    { 'toolcrib.yaml': 'skills: { disabled: [a] }\n' },
  ],
  'a setting for a skill that is not here': [
    {
      'skills/a/SKILL.md': markdown('a'),
      'skills/a/tools.json': descriptor(),
      'toolcrib.yaml': 'skills: { disabled: [b] }\n',
    },
    { 'toolcrib.yaml': 'skills: { disabled: [a] }\n' },
  ],
  'a tool name that two skills have': [
    {
      'skills/a/SKILL.md': markdown('a'),
      'skills/a/tools.json': descriptor(),
      'skills/b/SKILL.md': markdown('b'),
      'skills/b/tools.json': descriptor(),
    },
    { 'skills/b/tools.json': descriptor('say_more') },
  ],
  'a descriptor beside text without front matter': [
    { 'skills/a/SKILL.md': 'Say.\n', 'skills/a/tools.json': descriptor() },
    { 'skills/a/SKILL.md': markdown('a') },
  ],
  'a folder that is no name of a skill': [
    { 'skills/A b/SKILL.md': markdown('a'), 'skills/A b/tools.json': descriptor() },
    {
      'skills/A b/SKILL.md': null,
      'skills/A b/tools.json': null,
      'skills/a/SKILL.md': markdown('a'),
      'skills/a/tools.json': descriptor(),
    },
  ],
  'two skills of one name in one folder': [
    { 'skills/a.skill.md': markdown('a'), 'skills/b.skill.md': markdown('a') },
    { 'skills/b.skill.md': markdown('b') },
  ],
  'servers that are no object': [{ '.mcp.json': '{"mcpServers":[]}' }, { '.mcp.json': '{"mcpServers":{}}' }],
  'a server file that is no JSON': [{ '.mcp.json': '[' }, { '.mcp.json': '{"mcpServers":{}}' }],
}
