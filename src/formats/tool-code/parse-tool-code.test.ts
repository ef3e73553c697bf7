import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { JsonObject } from '../../tool/json.ts'
import { adderSource, toolDocument } from './fixture.ts'
import { parseToolCode } from './parse-tool-code.ts'
import { type ProblemCode, severities, strictSeverity } from './severities.ts'

function found(document: JsonObject): string[] {
  return parseToolCode(document).problems.map(
    (problem) => `${problem.severity} ${problem.code} ${problem.pointer}`,
  )
}

function without(key: string): JsonObject {
  const document = toolDocument() as { context: Record<string, unknown> }
  delete document.context[key]
  return document as unknown as JsonObject
}

function code(source: string, language = 'typescript') {
  return toolDocument({ code: { language, source } })
}

describe('a sound document', () => {
  it('becomes a callable tool without problems', () => {
    const { tool, problems } = parseToolCode(toolDocument())
    expect(problems).toEqual([])
    expect(tool).toMatchObject({
      id: 'adder',
      title: 'Adder',
      description: 'Adds two numbers.',
      version: '1.0.0',
      format: 'tool-code',
      state: 'available',
      requires: [],
      limits: { timeoutMs: 5_000, memoryMb: 64, cpuPercent: 100 },
      runtime: { name: 'deno', plan: { language: 'typescript', source: adderSource, isolation: 'worker' } },
      examples: [{ title: 'one and two', params: { a: 1, b: 2 }, expect: { sum: 3 }, match: 'exact' }],
    })
  })

  it('reads description and version from the top level, and net for network', () => {
    verifies('C-case-1')
    const context = {
      ...(toolDocument()['context'] as JsonObject),
      permissions: { net: ['api.example.com'] },
    }
    delete (context as Record<string, unknown>)['description']
    delete (context as Record<string, unknown>)['version']
    const { tool, problems } = parseToolCode(
      toolDocument({}, { context, description: 'From above.', semantic_version: '2.1.0' }),
    )
    expect(problems).toEqual([])
    expect(tool).toMatchObject({ description: 'From above.', version: '2.1.0', requires: ['net.http'] })
    expect(tool?.details?.permissions).toMatchObject({ network: ['api.example.com'] })
  })

  it('prefers the description in context and says that they differ', () => {
    verifies('C10')
    const { tool, problems } = parseToolCode(
      toolDocument({}, { description: 'Another.', semantic_version: '1.0.0' }),
    )
    expect(tool?.description).toBe('Adds two numbers.')
    expect(problems.map((problem) => [problem.severity, problem.code])).toEqual([
      ['warning', 'tc-era-conflict'],
    ])
  })

  it('refuses network and net that differ, and takes equal ones', () => {
    verifies('C10', 'C-case-2')
    expect(found(toolDocument({ permissions: { network: true, net: false } }))).toEqual([
      'error tc-era-conflict /context/permissions/net',
    ])
    expect(found(toolDocument({ permissions: { network: ['a.example'], net: ['a.example'] } }))).toEqual([])
  })

  it('keeps unknown fields and mentions them', () => {
    verifies('C11')
    expect(found(toolDocument({ colour: 'red' }, { extra: 1 }))).toEqual([
      'info tc-unknown-field /extra',
      'info tc-unknown-field /context/colour',
    ])
  })
})

describe('what is missing', () => {
  it.each([
    ['input_schema', 'warning tc-field-missing /context/input_schema'],
    ['output_schema', 'warning tc-field-missing /context/output_schema'],
    ['required_secrets', 'warning tc-field-missing /context/required_secrets'],
    ['limits', 'warning tc-field-missing /context/limits'],
    ['permissions', 'warning tc-field-missing /context/permissions'],
    ['examples', 'warning tc-field-missing /context/examples'],
    ['description', 'error tc-description /context/description'],
    ['version', 'error tc-version /context/version'],
    ['name', 'error tc-name /context/name'],
    ['code', 'error tc-source-empty /context/code'],
  ])('%s: %s', (key, problem) => {
    expect(found(without(key))).toContain(problem)
  })

  it('has the defaults of each limit on its own', () => {
    const { tool } = parseToolCode(toolDocument({ limits: { timeout_ms: 900 } }))
    expect(tool?.limits).toEqual({ timeoutMs: 900, memoryMb: 128, cpuPercent: 100 })
  })

  it('reports a missing tag as a warning that is an error under --strict', () => {
    verifies('C-case-3')
    const { problems } = parseToolCode(toolDocument({}, { tags: ['tool', 'tool:adder', 'workspace:tools'] }))
    expect(problems).toMatchObject([{ code: 'tc-tag-missing', severity: 'warning' }])
    expect(problems[0]!.message).toContain('self-contained')
    expect(strictSeverity(problems[0]!)).toBe('error')
  })
})

describe('documents that are refused', () => {
  it('tool.v1 is named as unsupported with the way out', () => {
    verifies('C9', 'C-case-4')
    const { tool, problems } = parseToolCode(toolDocument({}, { schema_name: 'tool.v1' }))
    expect(tool).toBeNull()
    expect(problems).toMatchObject([{ code: 'tc-legacy-v1', severity: 'error', pointer: '/schema_name' }])
    expect(`${problems[0]!.message} ${problems[0]!.hint}`).toMatch(
      /tool\.v1 is not supported.*tool\.code\.v1.*execute/,
    )
  })

  it.each([
    ['code is a string', { code: 'export const execute = 1' }, 'error tc-source-misplaced /context/code'],
    [
      'source beside code',
      { code: { language: 'typescript' }, source: 'x' },
      'error tc-source-misplaced /context/source',
    ],
    [
      'another language',
      { code: { language: 'python', source: 'x' } },
      'error tc-language /context/code/language',
    ],
    [
      'blank source',
      { code: { language: 'typescript', source: '  ' } },
      'error tc-source-empty /context/code/source',
    ],
    ['a bad name', { name: '-x' }, 'error tc-name /context/name'],
    ['a name too long', { name: 'x'.repeat(65) }, 'error tc-name /context/name'],
    ['blank description', { description: ' ' }, 'error tc-description /context/description'],
    ['a version that is none', { version: '1.0' }, 'warning tc-version /context/version'],
    [
      'a faulty schema',
      { input_schema: { type: 'strnig' } },
      'error tc-schema-invalid /context/input_schema/type',
    ],
    [
      'a remote reference',
      { output_schema: { $ref: 'https://x.example/s' } },
      'error tc-schema-invalid /context/output_schema/$ref',
    ],
    ['secrets twice', { required_secrets: ['A', 'A'] }, 'error tc-secrets /context/required_secrets/1'],
    ['a bad secret name', { required_secrets: ['1A'] }, 'error tc-secrets /context/required_secrets/0'],
    [
      'timeout 0',
      { limits: { memory_mb: 1, timeout_ms: 0, cpu_percent: 1 } },
      'error tc-limit /context/limits/timeout_ms',
    ],
    [
      'timeout too long',
      { limits: { memory_mb: 1, timeout_ms: 2_147_483_648, cpu_percent: 1 } },
      'error tc-limit /context/limits/timeout_ms',
    ],
    [
      'text as limit',
      { limits: { memory_mb: '64', timeout_ms: 1, cpu_percent: 1 } },
      'error tc-limit /context/limits/memory_mb',
    ],
    ['unknown isolation', { isolation: 'vm' }, 'error tc-limit /context/isolation'],
    [
      'subscription without schema_name',
      { subscriptions: [{ tag: 'a' }] },
      'error tc-subscription /context/subscriptions/0/schema_name',
    ],
    [
      'unknown operator',
      { subscriptions: [{ schema_name: 'a.v1', context_match: [{ path: 'a', op: 'like', value: 1 }] }] },
      'error tc-subscription /context/subscriptions/0/context_match/0/op',
    ],
    [
      'unknown mode',
      { bootstrap: { enabled: true, mode: 'often' } },
      'error tc-bootstrap /context/bootstrap/mode',
    ],
    [
      'priority over 100',
      { bootstrap: { enabled: true, mode: 'once', priority: 101 } },
      'error tc-bootstrap /context/bootstrap/priority',
    ],
    ['enabled without mode', { bootstrap: { enabled: true } }, 'warning tc-bootstrap /context/bootstrap'],
    [
      'bootstrap input',
      { bootstrap: { enabled: true, mode: 'once', input: { a: 'x' } } },
      'error tc-bootstrap-input /context/bootstrap/input/a',
    ],
    [
      'settings field without key',
      { ui_schema: { configurable: true, config_fields: [{ label: 'A', type: 'string' }] } },
      'error tc-ui-schema /context/ui_schema/config_fields/0/key',
    ],
    [
      'settings field type',
      { ui_schema: { configurable: true, config_fields: [{ key: 'a', label: 'A', type: 'date' }] } },
      'error tc-ui-schema /context/ui_schema/config_fields/0/type',
    ],
  ])('%s', (_, context, problem) => {
    verifies('C-case-4', 'C-case-13')
    expect(found(toolDocument(context))).toContain(problem)
  })

  it('reports a settings form whose field cannot be shown or satisfied', () => {
    verifies('C100')
    const field = {
      key: 'n',
      label: 'N',
      type: 'number',
      ui_type: 'dial',
      default_value: '3',
      validation: { min: 'a', pattern: '(' },
      options: [1],
      options_source: { type: 'sql' },
    }
    expect(
      found(toolDocument({ ui_schema: { configurable: true, config_fields: [field] } })).map(
        (line) => line.split('/0')[1],
      ),
    ).toEqual([
      '/ui_type',
      '/default_value',
      '/options',
      '/validation/min',
      '/validation/pattern',
      '/options_source/type',
    ])
    expect(
      found(
        toolDocument({
          ui_schema: {
            configurable: true,
            tabs: [],
            config_fields: [{ key: 'n', label: 'N', type: 'number', ui_type: 'slider', colour: 'red' }],
          },
        }),
      ),
    ).toEqual([])
  })
})

describe('permissions', () => {
  it.each([
    'example.com',
    'example.com:8080',
    '*.example.com',
    '10.1.2.3',
    '10.1.2.3:80',
    '[::1]:443',
    '[fd00::1]',
    '10.0.0.0/8',
    'localhost',
  ])('takes the host %s', (host) => {
    verifies('C20')
    expect(found(toolDocument({ permissions: { network: [host] } }))).toEqual([])
  })

  it.each([
    'https://example.com',
    'example.com/x',
    '',
    ' ',
    'a b',
    'example.com:0',
    'example.com:99999',
    '::1',
    '10.0.0.0/33',
    '[x]:1',
    'http:',
    'a.*.b',
  ])('refuses the host %j', (host) => {
    verifies('C20')
    expect(found(toolDocument({ permissions: { network: [host] } }))).toEqual([
      'error tc-permission /context/permissions/network/0',
    ])
  })

  it('counts an empty list as no network', () => {
    verifies('C20')
    expect(parseToolCode(toolDocument({ permissions: { network: [] } })).tool?.requires).toEqual([])
  })

  it.each(['read', 'write', 'env', 'run', 'ffi', 'sys', 'hrtime'])('never grants %s', (key) => {
    verifies('C24', 'C-case-13')
    expect(found(toolDocument({ permissions: { [key]: true } }))).toEqual([
      `error tc-permission /context/permissions/${key}`,
    ])
    expect(found(toolDocument({ permissions: { [key]: false } }))).toEqual([])
    expect(found(toolDocument({ permissions: { [key]: [] } }))).toEqual([])
  })

  it.each(['note.*.v1', 'no*', '*.v1', ''])('refuses the schema pattern %j', (pattern) => {
    verifies('C22')
    expect(found(toolDocument({ permissions: { breadcrumbs: { read: [pattern] } } }))).toEqual([
      'error tc-permission /context/permissions/breadcrumbs/read/0',
    ])
  })
})

describe('the source', () => {
  it('gives the place of a syntax error inside the source', () => {
    verifies('C-case-5')
    const { problems } = parseToolCode(code('export function execute() {\n  return 1\n  let = = 2\n}\n'))
    expect(problems).toMatchObject([
      { code: 'tc-source-syntax', severity: 'error', pointer: '/context/code/source', source_line: 3 },
    ])
    expect(problems[0]!.source_column).toBeGreaterThan(2)
  })

  it('honours the language: types are a syntax error in javascript', () => {
    expect(found(code(adderSource, 'javascript'))).toEqual(['error tc-source-syntax /context/code/source'])
    expect(found(code('export const execute = (input) => ({ sum: input.a })', 'javascript'))).toEqual([])
  })

  it.each([
    'export function execute() {}',
    'export async function execute() {}',
    'export const execute = async () => 1',
    'export let execute = () => 1',
    'export var execute = function () {}',
    'function execute() {}\nexport { execute }',
    'function run() {}\nexport { run as execute }',
    'export default function anything() {}',
    'export default () => 1',
    'export default async (input: unknown) => input',
    'export default { async execute() {} }',
    'export default { execute: () => 1 }',
    'const tool = { execute() {} }\nexport default tool',
    'function run() {}\nexport { run as default }',
    'export const execute = make()\nfunction make() { return () => 1 }',
    'export const { execute } = { execute: () => 1 }',
  ])('finds execute in %j', (source) => {
    verifies('C12', 'C-case-6')
    expect(found(code(source))).toEqual([])
  })

  it.each([
    ['function execute() {}', /not exported/],
    ['const execute = () => 1', /not exported/],
    ['module.exports = { execute() {} }', /CommonJS/],
    ['exports.execute = () => 1', /CommonJS/],
    ['export default { run() {} }', /object with an execute method/],
    ['export default 5', /must be a function/],
    ['export type execute = string', /Add/],
    ['export const run = 1', /Add/],
    ['export const execute = 5', /a function/],
    ['const x = { run() {} }\nexport { x as execute }', /a function/],
    ['export class execute {}', /a function/],
    ['export const execute = [] as unknown', /a function/],
  ])('does not find it in %j and says why', (source, hint) => {
    verifies('C12', 'C-case-7')
    const { problems } = parseToolCode(code(source))
    expect(problems).toMatchObject([{ code: 'tc-no-execute', severity: 'error' }])
    expect(problems[0]!.hint).toMatch(hint)
  })

  it('has no list of forbidden words', () => {
    verifies('C13', 'C-case-8', 'C12')
    expect(
      found(
        code(
          'const api = 1\nconst context = 2\nexport function execute(input) { const prefs = {}; prefs.a = eval("1"); return new Function("return 1")() }',
        ),
      ),
    ).toEqual([])
  })

  it.each([
    'import x from "file:///etc/hostname" with { type: "text" }\nexport const execute = () => x',
    'import "./other.ts"\nexport const execute = () => 1',
    'import fs from "fs"\nexport const execute = () => fs',
    'export { execute } from "https://example.com/x.ts"',
    'export const execute = () => import("npm:left-pad")',
    'export const execute = () => import(`file:///etc/passwd`)',
    'export const execute = () => import("\\x66ile:///etc/passwd")',
    'import "npm:zodiac"\nexport const execute = () => 1',
  ])('refuses the import in %j', (source) => {
    verifies('C14', 'C-case-9')
    const { problems } = parseToolCode(
      toolDocument({ code: { language: 'typescript', source }, permissions: { imports: ['npm:zod'] } }),
    )
    expect(problems).toMatchObject([
      { code: 'tc-import-denied', severity: 'error', pointer: '/context/code/source' },
    ])
    expect(problems[0]!.source_line).toBe(1)
  })

  it.each([
    'https://host.example/mine/../other/x.js',
    'https://host.example/mine/%2e%2e/other/x.js',
    'https://host.example@evil.example/x.js',
    'https://esm.sh.evil.example/x.js',
    'https://esm.sh@evil.example/x.js',
    'npm:zod/../left-pad',
  ])('refuses %s, which only looks as if a prefix covered it', (specifier) => {
    verifies('C14')
    const source = `import x from "${specifier}"\nexport const execute = () => x`
    const imports = ['https://host.example/mine/', 'https://esm.sh', 'npm:zod']
    expect(
      found(toolDocument({ code: { language: 'typescript', source }, permissions: { imports } })),
    ).toMatchObject([expect.stringContaining('tc-import-denied')])
  })

  it.each(['node:fs', 'jsr:@std/assert@1', 'npm:zod@3', 'npm:zod', 'npm:zod/v4', 'https://esm.sh/lodash'])(
    'takes the import of %s when a prefix covers it',
    (specifier) => {
      verifies('C14')
      expect(
        found(
          toolDocument({
            code: {
              language: 'typescript',
              source: `import x from "${specifier}"\nexport const execute = () => x`,
            },
            permissions: { imports: ['jsr:@std/', 'npm:zod', 'https://esm.sh/'] },
          }),
        ),
      ).toEqual([])
    },
  )
})

describe('examples', () => {
  it('are checked against both schemas, at the faulty place', () => {
    verifies('C-case-12')
    expect(
      found(
        toolDocument({
          examples: [
            { input: { a: 1 }, output: { sum: 'x' } },
            { input: {}, output: { sum: 1 } },
          ],
        }),
      ),
    ).toEqual([
      'error tc-example /context/examples/0/output/sum',
      'error tc-example /context/examples/1/input/a',
    ])
  })

  it('without output are a warning, unless only the schema is to be checked', () => {
    const problems = found(
      toolDocument({ examples: [{ input: { a: 1 } }, { input: { a: 1 }, match: 'schema' }] }),
    )
    expect(problems).toEqual(['warning tc-example /context/examples/0'])
  })
})

describe('strictness', () => {
  it.each([
    ['tc-field-missing', 'warning', 'error'],
    ['tc-version', 'warning', 'error'],
    ['tc-example', 'warning', 'error'],
    ['tc-bootstrap', 'warning', 'error'],
    ['tc-wait-missing', 'warning', 'error'],
    ['tc-wait-idle', 'warning', 'error'],
    ['tc-api-ungranted', 'warning', 'warning'],
    ['tc-unknown-field', 'info', 'info'],
    ['tc-json', 'error', 'error'],
  ] as const)('makes of %s %s: %s', (problemCode, severity, strict) => {
    expect(strictSeverity({ code: problemCode, severity })).toBe(strict)
  })
})

it('never throws, whatever the document, and only reports known codes', () => {
  fc.assert(
    fc.property(
      fc.object({
        key: fc.constantFrom(
          'schema_name',
          'context',
          'name',
          'code',
          'source',
          'limits',
          'permissions',
          'network',
          'breadcrumbs',
          'read',
          'examples',
          'input',
          'output',
          'bootstrap',
          'wait_for',
          'subscriptions',
          'ui_schema',
          'config_fields',
          'tags',
          'input_schema',
          '__proto__',
        ),
        maxDepth: 5,
      }),
      (document) => {
        for (const problem of parseToolCode({ schema_name: 'tool.code.v1', ...document } as JsonObject)
          .problems)
          expect(severities).toHaveProperty([problem.code as ProblemCode])
      },
    ),
    { numRuns: 300 },
  )
})
