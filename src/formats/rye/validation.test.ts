import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { readCrib, readOne, removeCribs, writeCrib } from '../../../test/helpers/rye-crib.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { actionTool } from '../../tool/action-tool.ts'
import { validateParams } from '../../tool/schema/validate.ts'
import { toolExtensions } from './file-kinds.ts'
import { readToolFile } from './read-file.ts'
import { strictSeverity } from './severity.ts'

afterAll(removeCribs)

const python = (
  changes: { [line: string]: string | null } = {},
  body = 'def execute(params, project_path):\n    return {}\n',
) => {
  const lines: { [name: string]: string | null } = {
    __version__: '"1.0.0"',
    __tool_type__: '"python"',
    __executor_id__: '"rye/core/runtimes/python/function"',
    __category__: '"a"',
    __tool_description__: '"x"',
    ...changes,
  }
  const head = Object.entries(lines).flatMap(([name, value]) =>
    value === null ? [] : [`${name} = ${value}`],
  )
  return `${head.join('\n')}\n${body}`
}
const yaml = (changes: { [key: string]: string | null } = {}) => {
  const keys: { [name: string]: string | null } = {
    tool_id: 'my-tool',
    tool_type: 'yaml',
    version: '"1.0.0"',
    category: 'a',
    description: x,
    executor_id: 'subprocess',
    config: '{command: echo}',
    ...changes,
  }
  return Object.entries(keys)
    .flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))
    .join('\n')
}
const x = 'does x'

describe('a problem has its code, its severity by default and under --strict, and its line', () => {
  type Row = [string, string, string, string, string, number]
  const rows: Row[] = [
    ['t.py', python({ __version__: null }), 'missing-field', 'error', 'error', 1],
    ['t.py', python({ __tool_type__: null }), 'missing-field', 'error', 'error', 1],
    ['t.py', python({ __executor_id__: null }), 'missing-field', 'error', 'error', 1],
    ['t.py', python({ __category__: null }), 'missing-field', 'error', 'error', 1],
    ['t.py', python({ __tool_description__: null }), 'missing-field', 'error', 'error', 1],
    [
      't.py',
      python({ __tool_type__: '"runtime"', __tool_description__: null }),
      'description-fallback',
      'warning',
      'error',
      1,
    ],
    ['t.yaml', yaml({ tool_id: null }), 'tool-id-derived', 'warning', 'error', 1],
    ['t.yaml', yaml({ tool_id: 'my_tool' }), 'tool-id-style', 'warning', 'error', 1],
    ['t.yaml', yaml({ tool_id: 'a/my_tool' }), 'tool-id-style', 'warning', 'error', 1],
    ['t.yaml', yaml({ tool_id: 'MyTool' }), 'tool-id-invalid', 'error', 'error', 1],
    ['t.yaml', yaml({ tool_id: 'my--tool' }), 'tool-id-invalid', 'error', 'error', 1],
    ['t.yaml', yaml({ category: 'b' }), 'category-mismatch', 'error', 'error', 4],
    ['t.yaml', yaml({ version: '1.0' }), 'version-invalid', 'error', 'error', 3],
    ['t.yaml', yaml({ version: '"1.0"' }), 'version-invalid', 'error', 'error', 3],
    ['t.yaml', yaml({ version: 'v1.0.0' }), 'version-invalid', 'error', 'error', 3],
    [
      't.yaml',
      yaml({ tool_type: 'parser', executor_id: 'null' }),
      'executor-null-type',
      'warning',
      'error',
      6,
    ],
    [
      't.yaml',
      yaml({ tool_type: 'model_provider', executor_id: 'null' }),
      'executor-null-type',
      'warning',
      'error',
      6,
    ],
    ['t.yaml', yaml({ executor_id: 'null' }), 'executor-missing', 'error', 'error', 6],
    ['t.yaml', yaml({ executor_id: null }), 'executor-missing', 'error', 'error', 1],
    ['t.yaml', yaml({ tool_type: 'library', executor_id: null }), 'executor-absent', 'warning', 'error', 1],
    ['t.yaml', yaml({ parameters: '[{name: p, type: text}]' }), 'param-type-invalid', 'error', 'error', 8],
    ['t.yaml', yaml({ requires: '[fs.read, write]' }), 'capability-format', 'error', 'error', 8],
    [
      't.yaml',
      yaml({ parameters: '[{name: p, type: string, pattern: "("}]' }),
      'pattern-invalid',
      'error',
      'error',
      8,
    ],
    [
      't.yaml',
      yaml({ parameters: '[{name: p, type: string, enum: []}]' }),
      'enum-empty',
      'error',
      'error',
      8,
    ],
    ['t.py', python({}, 'x = 1\n'), 'entry-missing', 'error', 'error', 1],
    ['t.py', python({}, 'execute = 1\n'), 'entry-missing', 'error', 'error', 1],
    ['t.py', python({ CONFIG_SCHEMA: '{"required": "a"}' }), 'schema-invalid', 'error', 'error', 6],
    ['t.py', python({ CONFIG_SCHEMA: '{\n"type": "array"}' }), 'schema-invalid', 'error', 'error', 7],
    ['t.yaml', yaml({ input_schema: '{type: [string, "null"]}' }), 'schema-invalid', 'error', 'error', 8],
    [
      't.yaml',
      yaml({ actions: '\n  a:\n    input_schema:\n      type: array' }),
      'schema-invalid',
      'error',
      'error',
      11,
    ],
    ['t.py', python({ CONFIG_SCHEMA: 'f()' }), 'schema-not-static', 'warning', 'error', 6],
    [
      't.py',
      python({ CONFIG_SCHEMA: '{"type": "object"}', INPUT_SCHEMA: '{"type": "object", "required": ["a"]}' }),
      'schema-conflict',
      'warning',
      'error',
      6,
    ],
    [
      't.yaml',
      yaml({ parameters: '[{name: p, type: integer, default: x}]' }),
      'default-invalid',
      'warning',
      'error',
      8,
    ],
    ['t.py', '__tool_type__ = "python"\nx = 1\n', 'helper-typed', 'warning', 'error', 1],
    ['t.yaml', yaml({ parameters: '[{name: p, type: string}]' }), 'param-undocumented', 'info', 'warning', 8],
    [
      't.yaml',
      yaml({ parameters: '[{name: pName, type: string}]' }),
      'param-name-style',
      'info',
      'warning',
      8,
    ],
    ['t.py', python({ __executor_id__: '"python/script"' }), 'no-main-block', 'info', 'warning', 1],
    [
      't.yaml',
      yaml({ parameters: '[{name: p, type: string}, {name: p, type: string}]' }),
      'param-duplicate',
      'error',
      'error',
      8,
    ],
    ['t.yaml', yaml({ parameters: '[{type: string}]' }), 'missing-field', 'error', 'error', 8],
    ['t.yaml', yaml({ parameters: '[{name: p}]' }), 'missing-field', 'error', 'error', 8],
    ['t.yaml', yaml({ requires: 'fs.read' }), 'field-type', 'error', 'error', 8],
    ['t.yaml', yaml({ requires: '[fs.read,\n  5]' }), 'field-type', 'error', 'error', 9],
    ['t.yaml', yaml({ parameters: '\n  - x' }), 'field-type', 'error', 'error', 9],
    ['t.yaml', yaml({ timeout: '0' }), 'field-type', 'error', 'error', 8],
    ['t.yaml', yaml({ retry_policy: '{max_attempts: 0}' }), 'field-type', 'error', 'error', 8],
    ['t.yaml', yaml({ retry_policy: '{backoff_type: random}' }), 'field-type', 'error', 'error', 8],
    ['t.yaml', yaml({ cost: '{per_invocation: much}' }), 'field-type', 'error', 'error', 8],
    ['t.yaml', yaml({ metadata: '{deprecated: true}' }), 'deprecated', 'warning', 'warning', 8],
    ['t.yaml', yaml({ config_resolve: '{path: ../x.yaml}' }), 'config-resolve-invalid', 'error', 'error', 8],
    [
      't.yaml',
      yaml({ config_resolve: '{path: x.yaml, mode: all}' }),
      'config-resolve-invalid',
      'error',
      'error',
      8,
    ],
    [
      't.yaml',
      yaml({ config: '{command: "{p}"}', parameters: '[{name: p, type: string}]' }),
      'command-from-param',
      'error',
      'error',
      7,
    ],
    [
      't.yaml',
      yaml({ executor_id: 'bash', config: '{command: "echo {p}"}', parameters: '[{name: p, type: string}]' }),
      'shell-template',
      'error',
      'error',
      7,
    ],
    ['t.yaml', yaml({ executor_id: 'mcp/http', config: '{server: x}' }), 'mcp-config', 'error', 'error', 7],
    ['t.yaml', yaml({ executor_id: 'python/function', config: '{}' }), 'no-code', 'warning', 'error', 7],
    ['t.py', python({ __executor_id__: '"node/node"' }), 'executor-language', 'warning', 'error', 3],
    ['t.yaml', yaml({ executor_id: 'pyhton' }), 'executor-not-found', 'error', 'error', 6],
    ['t.yaml', 'tool_type: [\n', 'metadata-parse', 'error', 'error', 2],
  ]
  it.each(rows)('%s %#: %j has %s', (file, text, code, severity, strict, line) => {
    verifies('R9', 'R17', 'R18', 'R20', 'R22', 'R35', 'R36', 'R47', 'R50', 'R59')
    const problem = readOne(`a/${file}`, text)
      .problemsOf(file)
      .find((found) => found.code === code)
    expect(problem).toMatchObject({ code, severity, file: expect.stringContaining(file) })
    expect(strictSeverity(problem!)).toBe(strict)
    expect(problem!.line).toBe(line)
  })

  it('and all problems of a file are reported together', () => {
    const codes = readOne('a/t.yaml', yaml({ version: '1', category: 'b', requires: '[x]' })).codesOf(
      't.yaml',
    )
    expect(codes).toEqual(
      expect.arrayContaining(['version-invalid', 'category-mismatch', 'capability-format']),
    )
  })
})

describe('what is in order', () => {
  it.each([
    ['a python tool', 'a/t.py', python()],
    ['a yaml tool', 'a/t.yaml', yaml()],
    ['a tool at the root without category', 't.yaml', yaml({ category: null })],
    ['a tool at the root with an empty category', 't.yaml', yaml({ category: '""' })],
    ['a library without executor', 'a/t.yaml', yaml({ tool_type: 'library', executor_id: 'null' })],
    [
      'float in parameters',
      'a/t.yaml',
      yaml({ parameters: '[{name: p, type: float, required: true, description: d}]' }),
    ],
    ['wildcard capabilities', 'a/t.yaml', yaml({ requires: '[rye.execute.*, fs.write]' })],
    [
      'a union type',
      'a/t.py',
      python({
        CONFIG_SCHEMA:
          '{"type": "object", "properties": {"a": {"type": ["string", "null"], "description": "x"}}}',
      }),
    ],
  ])('%s has no problem', (_, path, text) => {
    expect(readOne(path, text).problemsOf(path)).toEqual([])
  })
})

describe('files and ids', () => {
  it('the id is the path without the last extension, for the extensions of the format only', () => {
    verifies('R1', 'R2')
    const crib = readCrib(
      writeCrib({
        '.ai/tools/A/x.config-schema.yaml': yaml({ category: 'A' }),
        '.ai/tools/a/b.rb': '',
        'tools/a/c.yaml': yaml(),
        'user/.ai/tools/a/u.yaml': yaml(),
      }),
    )
    const own = crib.tools.filter((tool) => tool.tier !== 'system')
    expect(own.map((tool) => [tool.tier, tool.id])).toEqual([
      ['project', 'A/x.config-schema'],
      ['user', 'a/u'],
    ])
  })

  it('the first extension wins inside a tier, the higher tier outside', () => {
    verifies('R2', 'R3')
    const crib = readCrib(
      writeCrib({
        '.ai/tools/a/t.json': JSON.stringify({ tool_type: 'yaml', executor_id: 'subprocess' }),
        '.ai/tools/a/t.py': python(),
        '.ai/tools/a/t.yaml': yaml(),
        'user/.ai/tools/a/t.py': python(),
      }),
    )
    expect(crib.tool('a/t').source.file).toMatch(/\.ai\/tools\/a\/t\.py$/)
    expect(crib.codesOf('.ai/tools/a/t.yaml')).toContain('duplicate-id')
    expect(crib.codesOf('.ai/tools/a/t.json')).toContain('duplicate-id')
    expect(crib.problemsOf('user/.ai/tools/a/t.py')).toMatchObject([{ code: 'shadowed', severity: 'info' }])
    expect(crib.tools.filter((tool) => tool.id === 'a/t').map((tool) => tool.state)).toEqual(
      expect.arrayContaining(['available', 'shadowed', 'shadowed', 'shadowed']),
    )
  })

  it('a tool_id is an alias, and one claimed twice in a tier is warned about on both sides', () => {
    verifies('R4')
    const crib = readCrib(
      writeCrib({
        '.ai/tools/a/t.yaml': yaml(),
        '.ai/tools/a/u.yaml': yaml(),
        'user/.ai/tools/a/v.yaml': yaml(),
      }),
    )
    expect(crib.tool('a/t').aliases).toEqual(['my-tool'])
    expect(crib.problemsOf('t.yaml')).toMatchObject([
      { code: 'tool-id-duplicate', message: expect.stringContaining('a/u') },
    ])
    expect(crib.codesOf('u.yaml')).toEqual(['tool-id-duplicate'])
    expect(crib.codesOf('v.yaml')).toEqual([])
  })

  it.each([
    ['a/__init__.py', python()],
    ['a/helper.py', 'x = 1\n'],
    ['a/data.yaml', 'name: x\n'],
    ['a/.hidden/t.py', python()],
    ['node_modules/t.py', python()],
    ['venv/t.py', python()],
    ['a/__pycache__/t.py', python()],
    ['a/package.json', '{"tool_type": "x"}'],
    ['a/package-lock.json', '{"tool_type": "x"}'],
    ['a/tsconfig.build.json', '{"tool_type": "x"}'],
    ['a/pyproject.toml', 'tool_type = "x"'],
    ['a/t.d.ts', 'export const __tool_type__ = "x"'],
    ['a/t.json.sig', 'rye:signed:x'],
  ])('%s is no tool and no problem', (path, text) => {
    verifies('R5', 'R6')
    const crib = readOne(path, text)
    expect(crib.tools.filter((tool) => tool.tier === 'project')).toEqual([])
    expect(crib.problems).toEqual([])
  })

  it('a file that leads out of its tier is refused, one that stays inside is not', () => {
    verifies('R7')
    const root = writeCrib({ '.ai/lib/in.py': python(), 'outside.py': python(), '.ai/tools/a/.keep': '' })
    symlinkSync(join(root, 'outside.py'), join(root, '.ai/tools/a/out.py'))
    symlinkSync(join(root, '.ai/lib/in.py'), join(root, '.ai/tools/a/in.py'))
    const crib = readCrib(root)
    expect(crib.problemsOf('out.py')).toMatchObject([{ code: 'symlink-escape', severity: 'error' }])
    expect(crib.tools.map((tool) => tool.id)).not.toContain('a/out')
    expect(crib.tool('a/in').problems).toEqual([])
  })

  it('a broken file never hides another, and is listed when it was meant to be a tool', () => {
    verifies('R9')
    const crib = readCrib(
      writeCrib({
        '.ai/tools/a/bad.yaml': 'tool_type: [',
        '.ai/tools/a/code.mjs': 'export const __tool_type__ = "javascript"\nexport default function ( {\n',
        '.ai/tools/a/worse.json': '{',
        '.ai/tools/a/t.py': python(),
      }),
    )
    expect(crib.tool('a/t').state).toBe('available')
    expect(crib.tool('a/bad').state).toBe('invalid')
    expect(crib.tool('a/code').state).toBe('invalid')
    expect(crib.codesOf('worse.json')).toEqual(['metadata-parse'])
  })
})

describe('parameters', () => {
  it('compile to a schema', () => {
    verifies('R20')
    const list =
      '[{name: a, type: float, required: true, min: 1, max: 9}, {name: b, type: array, items: {type: string}, default: [], x-note: kept}]'
    expect(readOne('a/t.yaml', yaml({ parameters: list })).tool('a/t').params).toEqual({
      type: 'object',
      properties: {
        a: { type: 'number', minimum: 1, maximum: 9 },
        b: { type: 'array', items: { type: 'string' }, default: [], 'x-note': 'kept' },
      },
      required: ['a'],
    })
  })

  it('come from input_schema, then CONFIG_SCHEMA, then parameters, else any object', () => {
    verifies('R19')
    const of = (changes: { [key: string]: string }) => readOne('a/t.yaml', yaml(changes)).tool('a/t').params
    const [one, two] = ['{title: one}', '{title: two}']
    expect(of({ config_schema: two, input_schema: one, parameters: '[]' })).toEqual({ title: 'one' })
    expect(of({ config_schema: two, parameters: '[]' })).toEqual({ title: 'two' })
    expect(of({})).toEqual({ type: 'object' })
  })

  it('that say the same in two ways do not conflict', () => {
    verifies('R19')
    const both = {
      parameters: '[{name: a, type: string, required: true, description: d}]',
      input_schema: '{properties: {a: {type: string, description: d}}, required: [a]}',
    }
    expect(readOne('a/t.yaml', yaml(both)).codesOf('t.yaml')).toEqual([])
  })

  it('are inferred from main, which refuses names it does not take', () => {
    verifies('R19')
    const tool = readOne('a/t.py', python({}, 'def main(a: str, n: int = 2, o: dict = None): pass\n')).tool(
      'a/t',
    )
    expect(tool.params).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string' },
        n: { type: 'integer', default: 2 },
        o: { type: ['object', 'null'], default: null },
      },
      required: ['a'],
      additionalProperties: false,
    })
    expect(readOne('a/t.py', python({}, 'def main(**kw): pass\n')).tool('a/t').params).toEqual({
      type: 'object',
      properties: {},
    })
  })

  it('get nested defaults before required is judged, and every violation is named', () => {
    verifies('R21')
    const schema =
      '{properties: {o: {default: {}, properties: {n: {type: integer, default: 3}}}, s: {type: string}}, required: [o, s]}'
    const { params } = readOne('a/t.yaml', yaml({ input_schema: schema })).tool('a/t')
    expect(validateParams('t', params!, { s: 'x' }, true)).toEqual({ s: 'x', o: { n: 3 } })
    expect(() => validateParams('t', params!, { o: { n: '3' } }, true)).toThrow(
      expect.objectContaining({
        details: {
          violations: [
            expect.objectContaining({ pointer: '/s' }),
            expect.objectContaining({ pointer: '/o/n' }),
          ],
          count: 2,
        },
      }),
    )
  })
})

describe('actions', () => {
  const text = yaml({
    parameters: '[{name: env, type: string, default: dev}]',
    actions:
      '{deploy: {description: Deploys, parameters: [{name: service, type: string, required: true}]}, rollback: {input_schema: {properties: {id: {type: integer}, env: {enum: [prod]}}, required: [id]}}}',
  })
  const tool = () => readOne('a/t.yaml', text).tool('a/t')

  it('are callable as id#name with the base parameters and their own', () => {
    verifies('R23')
    const deploy = actionTool(tool(), 'deploy')
    expect(deploy).toMatchObject({ id: 'a/t#deploy', description: 'Deploys' })
    expect(validateParams('t', deploy.params!, { service: 's' }, true)).toEqual({
      service: 's',
      env: 'dev',
      action: 'deploy',
    })
    expect(() => validateParams('t', deploy.params!, {}, true)).toThrow('/service is required')
    const rollback = actionTool(tool(), 'rollback')
    expect(() => validateParams('t', rollback.params!, { id: 1, env: 'dev' }, true)).toThrow(
      '/env must be one of "prod"',
    )
    expect(() => actionTool(tool(), 'deplyo')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('a/t#deploy') }),
    )
  })

  it('are chosen by the parameter action of the base tool', () => {
    verifies('R24')
    const { params } = tool()
    expect(validateParams('t', params!, { action: 'deploy', service: 's' }, true)).toEqual({
      action: 'deploy',
      service: 's',
      env: 'dev',
    })
    expect(() => validateParams('t', params!, { action: 'rollback', env: 'prod' }, true)).toThrow(
      '/id is required',
    )
    expect(() => validateParams('t', params!, { action: 'x' }, true)).toThrow('"deploy", "rollback"')
    // Stated by the list of all parameters and by the action's own, told once.
    expect(() => validateParams('t', params!, { action: 'rollback', id: 'x', env: 'prod' }, true)).toThrow(
      expect.objectContaining({ message: 't: /id must be integer.' }),
    )
    expect(() => validateParams('t', params!, {}, true)).toThrow('/action is required')
    expect(() =>
      validateParams('t', actionTool(tool(), 'deploy').params!, { service: 's', action: 'rollback' }, true),
    ).toThrow('/action must be "deploy"')
  })

  it('have their own schemas checked', () => {
    verifies('R23')
    const schemas =
      '\n  one: {input_schema: {properties: {a: {type: strng}, b: {pattern: "("}}}}\n  two: {input_schema: 5}'
    const found = readOne('a/t.yaml', yaml({ actions: schemas })).problems.map(({ code, line }) => [
      code,
      line,
    ])
    expect(found).toEqual([
      ['param-type-invalid', 9],
      ['pattern-invalid', 9],
      ['field-type', 10],
    ])
  })

  it('may be a list with names', () => {
    verifies('R23')
    const listed = readOne('a/t.yaml', yaml({ actions: '[{name: go}, {name: stop}]' })).tool('a/t')
    expect(actionTool(listed, 'stop').id).toBe('a/t#stop')
  })
})

describe('other fields', () => {
  it('become limits, retry, cost, tags, requires and documentation', () => {
    verifies('R46', 'R47', 'R49')
    const tool = readOne(
      'a/t.yaml',
      yaml({
        timeout: '30',
        retry_policy: '{max_attempts: 3, backoff_type: linear, initial_delay: 0.5}',
        cost: '{per_invocation: 0.01, per_minute: 0.05, estimated_duration: 60}',
        tags: '[k8s]',
        requires: '[fs.write]',
        metadata: '{author: ada, experimental: true}',
        documentation: '{url: "https://x", examples: [Do it]}',
      }),
    ).tool('a/t')
    expect(tool).toMatchObject({
      limits: { timeoutMs: 30_000 },
      retry: { maxAttempts: 3, backoff: 'linear', initialDelayMs: 500, maxDelayMs: 60_000, multiplier: 2 },
      cost: { perCall: 0.01, perMinute: 0.05, estimatedSeconds: 60, currency: 'USD' },
      tags: ['k8s'],
      requires: ['fs.write'],
      details: { experimental: true, documentation: { url: 'https://x' }, metadata: { author: 'ada' } },
    })
  })

  it('outputs is a schema only when it looks like one, and output_schema comes first', () => {
    verifies('R44')
    const of = (changes: { [key: string]: string }) => readOne('a/t.yaml', yaml(changes))
    expect(of({ outputs: '{status: the status}' }).tool('a/t').returns).toBeNull()
    expect(of({ outputs: '{properties: {a: {type: string}}}' }).tool('a/t').returns).toEqual({
      properties: { a: { type: 'string' } },
    })
    const both = of({ outputs: '{type: object}', output_schema: '{type: string}' })
    expect(both.tool('a/t').returns).toEqual({ type: 'string' })
    expect(both.codesOf('t.yaml')).toContain('schema-conflict')
  })
})

it('whatever the bytes of a file are, reading ends and gives a reading', () => {
  verifies('R9')
  const seeds = [
    python(),
    yaml(),
    '{"tool_type": "x", "a": [',
    '[a]\nb = {c = 1',
    'export const __tags__ = ["a", ...x]',
    '# @param {a} [b=c',
    '"""',
    "f'{",
    '&a [*a]',
    '\u2028\u0000\uFEFF',
  ]
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc
      .array(fc.constantFrom(...seeds, ...'()[]{}<>"\'`\\/#:=,;*@!?&|~%^-+$\n\t '.split('')), {
        maxLength: 60,
      })
      .map((parts) => parts.join('')),
    fc
      .tuple(fc.constantFrom(...seeds), fc.nat(), fc.string({ unit: 'binary', maxLength: 5 }))
      .map(([seed, at, noise]) => {
        const cut = at % (seed.length + 1)
        return seed.slice(0, cut) + noise + seed.slice(cut)
      }),
  )
  fc.assert(
    fc.property(fc.constantFrom(...toolExtensions), text, (extension, content) => {
      const reading = readToolFile(`a/t${extension}`, content)
      for (const note of reading.notes) expect(note.line).toBeGreaterThan(0)
      for (const field of reading.fields.values()) expect(JSON.stringify(field.value)).toBeTypeOf('string')
    }),
    { numRuns: 600 },
  )
})

it.each(toolExtensions)('a %s file that nests without end is a problem, not a crash', (extension) => {
  verifies('R9')
  for (const unit of ['[', '(', '{"a":', '{a: ', '- ', 'a.', '`${', '!', 'not ', '- - ']) {
    const reading = readToolFile(`a/t${extension}`, `__tags__ = ${unit.repeat(5000)}`)
    expect(reading.fields.size).toBe(0)
  }
})
