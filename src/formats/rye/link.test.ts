import { symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type ReadCrib, readCrib, readOne, removeCribs, writeCrib } from '../../../test/helpers/rye-crib.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { ryePlanOf } from '../../tool/plans/runtime-plans.ts'
import type { RyePlan } from '../../tool/plans/rye-plan.ts'

afterAll(removeCribs)

const entry = (fields: { [key: string]: unknown }): string =>
  JSON.stringify({ tool_type: 'yaml', version: '1.0.0', description: 'x', tool_id: 'x', ...fields })
const plan = (crib: ReadCrib, id: string): RyePlan => ryePlanOf(crib.tool(id))!
const chain = (crib: ReadCrib, id: string): string[] => crib.tool(id).chain!.map((link) => link.id)
const core = 'rye/core'

describe('executor names', () => {
  it.each([
    ['python_runtime', 'runtimes/python/function'],
    ['python', 'runtimes/python/function'],
    ['python/function', 'runtimes/python/function'],
    ['rye/core/runtimes/python/function', 'runtimes/python/function'],
    ['rye/core/runtimes/python_function_runtime', 'runtimes/python/function'],
    ['python/script', 'runtimes/python/script'],
    ['rye/core/runtimes/python_script_runtime', 'runtimes/python/script'],
    ['node_runtime', 'runtimes/node/node'],
    ['node/node', 'runtimes/node/node'],
    ['rye/core/runtimes/node_runtime', 'runtimes/node/node'],
    ['bash', 'runtimes/bash/bash'],
    ['rye/core/runtimes/bash_runtime', 'runtimes/bash/bash'],
    ['mcp/http', 'runtimes/mcp/http'],
    ['mcp/stdio', 'runtimes/mcp/stdio'],
    ['rye/core/runtimes/mcp_http_runtime', 'runtimes/mcp/http'],
    ['rye/core/runtimes/mcp_stdio_runtime', 'runtimes/mcp/stdio'],
    ['subprocess', 'primitives/subprocess'],
    ['rye/core/primitives/execute', 'primitives/subprocess'],
    ['http_client', 'primitives/http_client'],
    ['docker', 'primitives/docker'],
    ['filesystem', 'primitives/filesystem'],
    ['tool:subprocess', 'primitives/subprocess'],
  ])('%s is rye/core/%s', (name, id) => {
    verifies('R25', 'R4')
    expect(chain(readOne('t.json', entry({ executor_id: name })), 't')[1]).toBe(`${core}/${id}`)
  })

  it('lead to a file with the target id in a higher tier', () => {
    verifies('R25')
    const crib = readCrib(
      writeCrib({
        '.ai/tools/rye/core/runtimes/bash/bash.json': entry({
          tool_type: 'runtime',
          executor_id: 'subprocess',
          category: 'rye/core/runtimes/bash',
          config: { command: 'sh', args: ['{tool_path}'] },
        }),
        '.ai/tools/t.sh': '# @version 1.0.0\n# @tool_type script\n# @executor_id bash\n# @description x\n',
      }),
    )
    expect(crib.tool('t').chain!.map((link) => link.tier)).toEqual(['project', 'project', 'system'])
    expect(plan(crib, 't').config['command']).toBe('sh')
  })

  it('lead to an id before a short name', () => {
    verifies('R25')
    const crib = readCrib(
      writeCrib({
        '.ai/tools/bash.json': entry({
          tool_type: 'runtime',
          executor_id: 'subprocess',
          config: { command: 'zsh' },
        }),
        '.ai/tools/t.json': entry({ executor_id: 'bash' }),
      }),
    )
    expect(chain(crib, 't')).toEqual(['t', 'bash', `${core}/primitives/subprocess`])
  })
})

describe('a chain that cannot run', () => {
  it.each([
    ['executor-not-found', { 'a.json': entry({ executor_id: 'ruby' }) }, 'a -> ruby (not found)'],
    [
      'chain-cycle',
      {
        'a.json': entry({ executor_id: 'b' }),
        'b.json': entry({ tool_type: 'runtime', executor_id: 'c' }),
        'c.json': entry({ tool_type: 'runtime', executor_id: 'b' }),
      },
      'a -> b -> c -> b',
    ],
    [
      'unknown-primitive',
      {
        'a.json': entry({ executor_id: 'b' }),
        'b.json': entry({ tool_type: 'primitive', executor_id: null }),
      },
      'a -> b (not a primitive)',
    ],
    [
      'unknown-primitive',
      { 'a.json': entry({ executor_id: 'b' }), 'b.json': entry({ tool_type: 'runtime', executor_id: null }) },
      'a -> b (not a primitive)',
    ],
    ['chain-cycle', { 'a.json': entry({ executor_id: 'a' }) }, 'a -> a'],
  ])('is %s and prints itself', (code, files, text) => {
    verifies('R26', 'R27')
    const crib = readCrib(
      writeCrib(
        Object.fromEntries(Object.entries(files).map(([name, content]) => [`.ai/tools/${name}`, content])),
      ),
    )
    const errors = crib.problemsOf('a.json').filter((problem) => problem.severity === 'error')
    expect(errors).toMatchObject([{ code, severity: 'error', message: expect.stringContaining(text) }])
    expect(crib.tool('a')).toMatchObject({ state: 'invalid', runtime: null })
  })

  it.each([
    [8, undefined],
    [9, 'chain-too-deep'],
  ])('has %i runtimes between tool and primitive: %s', (count, code) => {
    verifies('R26')
    const files: { [path: string]: string } = {
      '.ai/tools/t.json': entry({ executor_id: 'r1', config: { command: 'x' } }),
    }
    for (let i = 1; i <= count; i++)
      files[`.ai/tools/r${i}.json`] = entry({
        tool_id: `r-${i}`,
        tool_type: 'runtime',
        executor_id: i === count ? 'subprocess' : `r${i + 1}`,
      })
    const crib = readCrib(writeCrib(files))
    expect(crib.codesOf('t.json')).toEqual(code ? [code] : [])
  })

  it('depends on a higher tier', () => {
    verifies('R8', 'R26')
    const crib = readCrib(
      writeCrib({
        '.ai/tools/mine.json': entry({ tool_type: 'runtime', executor_id: 'subprocess' }),
        'user/.ai/tools/t.json': entry({ executor_id: 'mine' }),
      }),
    )
    expect(crib.problemsOf('user/.ai/tools/t.json')).toMatchObject([
      { code: 'executor-tier', message: expect.stringContaining('only in the project tier') },
    ])
  })

  it('a user file uses the user tier although the project has the same id', () => {
    verifies('R8')
    const runtime = (command: string) =>
      entry({ tool_type: 'runtime', executor_id: 'subprocess', config: { command } })
    const crib = readCrib(
      writeCrib({
        '.ai/tools/r.json': runtime('project'),
        'user/.ai/tools/r.json': runtime('user'),
        'user/.ai/tools/t.json': entry({ executor_id: 'r' }),
        '.ai/tools/p.json': entry({ tool_id: 'p', executor_id: 'r' }),
      }),
    )
    expect([plan(crib, 't').config['command'], plan(crib, 'p').config['command']]).toEqual([
      'user',
      'project',
    ])
  })
})

describe('primitives', () => {
  it.each([
    ['subprocess', { command: 'x' }, 'rye-process'],
    ['http_client', { url: 'https://x' }, 'rye-http'],
    ['docker', { image: 'x' }, 'rye-docker'],
    ['filesystem', { operation: 'read', path: 'x' }, 'rye-filesystem'],
    ['mcp/http', { tool_name: 't', server_config_path: 'x.yaml' }, 'rye-mcp'],
  ])('%s is run by %s %s', (executor, config, name) => {
    verifies('R27')
    expect(readOne('t.json', entry({ executor_id: executor, config })).tool('t').runtime?.name).toBe(name)
  })

  it("upstream's rye/core/primitives/execute is subprocess wherever it stands", () => {
    verifies('R27')
    const crib = readCrib(
      writeCrib({
        '.ai/tools/rye/core/primitives/execute.json': entry({
          tool_type: 'primitive',
          executor_id: null,
          category: 'rye/core/primitives',
        }),
        '.ai/tools/t.json': entry({ executor_id: 'rye/core/primitives/execute', config: { command: 'x' } }),
      }),
    )
    expect(crib.tool('t').chain?.map((link) => link.tier)).toEqual(['project', 'project'])
    expect(plan(crib, 't').primitive).toBe('subprocess')
  })

  it('a runtime without executor that has a command goes on with subprocess', () => {
    verifies('R27')
    const crib = readCrib(
      writeCrib({
        '.ai/tools/r.json': entry({ tool_type: 'runtime', executor_id: null, config: { command: 'x' } }),
        '.ai/tools/t.json': entry({ executor_id: 'r' }),
      }),
    )
    expect(chain(crib, 't')).toEqual(['t', 'r', `${core}/primitives/subprocess`])
  })

  it.each(['runtime', 'library', 'primitive', 'mcp_server', 'parser', 'config-schema'])(
    'a %s is listed, not callable, and says so',
    (type) => {
      verifies('R28')
      const tool = readOne('t.json', entry({ tool_type: type, executor_id: null })).tool('t')
      expect(tool).toMatchObject({ state: 'available', runtime: null, reason: expect.stringContaining(type) })
      expect(tool.kind).not.toBe('callable')
    },
  )

  it('a file of classes names them', () => {
    verifies('R28')
    const text =
      '"""Sinks."""\n__tool_type__ = "runtime"\n__version__ = "1.0.0"\n__executor_id__ = "python"\n__category__ = "sinks"\n\nclass FileSink:\n    pass\n'
    const crib = readOne('sinks/file_sink.py', text)
    expect(crib.tool('sinks/file_sink')).toMatchObject({
      description: 'Sinks.',
      reason: 'defines class FileSink; it is a runtime, not a callable tool',
    })
    expect(crib.codesOf('file_sink.py')).toEqual(['description-fallback'])
  })
})

describe('the plan', () => {
  it('adds a language by one file', () => {
    verifies('R29', 'R30', 'R36')
    const crib = readCrib(
      writeCrib({
        '.ai/tools/ruby.yaml': `tool_id: ruby
tool_type: runtime
version: "1.0.0"
category: ""
description: Runs Ruby scripts
executor_id: subprocess
extensions: [.rb]
env_config: {interpreter: {type: system_binary, binary: ruby, var: MY_RUBY}, env: {A: "1"}}
config: {command: "\${MY_RUBY}", args: ["{tool_path}"], input_data: "{params_json}", timeout: 60}
`,
        '.ai/tools/x.yaml':
          'tool_type: script\nversion: "1.0.0"\ndescription: x\nexecutor_id: ruby\ntool_id: x-tool\nconfig: {env: {B: two}}\n',
        '.ai/tools/x.rb': 'puts 1',
      }),
    )
    expect(crib.problems.filter((problem) => problem.severity !== 'info')).toEqual([])
    expect(plan(crib, 'x')).toMatchObject({
      primitive: 'subprocess',
      codeFile: expect.stringMatching(/x\.rb$/),
      runtimeId: 'ruby',
      entry: 'script',
      interpreter: { type: 'system_binary', binary: 'ruby', var: 'MY_RUBY' },
      env: { A: '1', B: 'two' },
      timeouts: { runtimeConfig: 60 },
      config: { command: '${MY_RUBY}', input_data: '{params_json}' },
    })
    expect(crib.tool('x').limits.timeoutMs).toBe(60_000)
  })

  it('merges config shallowly, the tool over the runtime over the primitive', () => {
    verifies('R32')
    const crib = readCrib(
      writeCrib({
        '.ai/tools/r.json': entry({
          tool_type: 'runtime',
          executor_id: 'subprocess',
          config: { command: 'r', a: { x: 1 }, b: 1 },
        }),
        '.ai/tools/t.json': entry({ executor_id: 'r', config: { a: { y: 2 }, params_key: 'input' } }),
      }),
    )
    expect(plan(crib, 't').config).toMatchObject({
      command: 'r',
      a: { y: 2 },
      b: 1,
      params_key: 'input',
      timeout: 300,
    })
  })

  it.each([
    ['python/function', 'def execute(p, q): pass', 'worker', 'function', 'execute'],
    ['python/function', 'def main(): pass', 'worker', 'function', 'main'],
    [
      'python/script',
      'def execute(p, q): pass\nif __name__ == "__main__":\n    pass',
      'subprocess',
      'script',
      null,
    ],
    ['python/script', 'def execute(p, q): pass', 'worker', 'function', 'execute'],
    ['python/script', 'print(1)', 'subprocess', 'script', null],
  ])('of %s with %j is %s, %s', (executor, body, primitive, kind, name) => {
    verifies('R31')
    const head = `__version__ = "1.0.0"\n__tool_type__ = "python"\n__executor_id__ = "${executor}"\n__tool_description__ = "x"\n`
    expect(plan(readOne('t.py', `${head}${body}\n`), 't')).toMatchObject({
      primitive,
      entry: kind,
      entryName: name,
      interpreter: {
        binary: 'python',
        candidates: ['python3'],
        searchPaths: ['.venv/bin', '.venv/Scripts'],
        fallback: 'python3',
        var: 'RYE_PYTHON',
      },
      anchor: {
        mode: 'auto',
        markersAny: ['__init__.py', 'pyproject.toml'],
        envPaths: { PYTHONPATH: { prepend: ['{runtime_lib}', '{anchor_path}'] } },
      },
      config: { worker: expect.stringMatching(/^\/.*worker\.py$/) },
    })
  })

  it('of Node finds default export, execute, main, or runs the script', () => {
    verifies('R31')
    const head =
      'exports.__version__ = "1.0.0"; exports.__tool_type__ = "javascript"; exports.__executor_id__ = "node/node"; exports.__tool_description__ = "x"\n'
    const of = (body: string) => plan(readOne('t.cjs', head + body), 't')
    expect(of('exports.main = () => 1; exports.execute = () => 1')).toMatchObject({
      primitive: 'worker',
      entryName: 'execute',
    })
    expect(of('console.log(1)')).toMatchObject({
      primitive: 'subprocess',
      entry: 'script',
      anchor: { markersAny: ['package.json'], cwd: '{anchor_path}' },
    })
  })

  it.each([
    ['execute', 'run.mjs', { '.ai/tools/run.mjs': 'export const execute = () => 1' }],
    ['main', 'run.js', { '.ai/tools/run.ts': 'export function main() {}' }],
    [
      'execute',
      'lib/a.mjs',
      {
        '.ai/tools/lib/a.mjs': "export * from '../t.mjs'\nexport * from './b.mjs'",
        '.ai/tools/lib/b.mjs': 'export function execute() {}',
      },
    ],
    [null, 'run.mjs', { '.ai/tools/run.mjs': 'export const helper = () => 1' }],
    [null, 'run.mjs', { '.ai/tools/run.mjs': 'export default () => 1' }],
    [null, '../../out.mjs', { 'out.mjs': 'export const execute = () => 1' }],
    [null, 'gone.mjs', {}],
  ])('of Node finds %s in what %s gives out', (entryName, from, files) => {
    verifies('R31', 'R9')
    const text = `export const __version__ = '1.0.0', __tool_type__ = 'javascript', __executor_id__ = 'node/node', __tool_description__ = 'x'\nexport * from './${from}'\n`
    const crib = readCrib(writeCrib({ '.ai/tools/t.mjs': text, ...files }))
    expect(plan(crib, 't')).toMatchObject({ entry: entryName ? 'function' : 'script', entryName })
  })

  it('of a shell script on bare subprocess runs it by bash', () => {
    verifies('R31')
    const crib = readOne(
      't.sh',
      '# @version 1.0.0\n# @tool_type script\n# @executor_id subprocess\n# @description x\n',
    )
    expect(crib.problems).toEqual([])
    expect(plan(crib, 't')).toMatchObject({
      runtimeId: `${core}/runtimes/bash/bash`,
      entry: 'script',
      config: { args: ['{tool_path}'] },
    })
  })

  it('of a data file makes paths beside it absolute, and takes script or sibling inside the tier only', () => {
    verifies('R36')
    const root = writeCrib({
      '.ai/tools/a/t.json': entry({
        executor_id: 'subprocess',
        category: 'a',
        config: { command: 'python3', args: ['deploy.py', '--flag', 'none.py'] },
      }),
      '.ai/tools/a/deploy.py': 'print(1)',
      '.ai/tools/a/s.json': entry({
        tool_id: 's',
        executor_id: 'python/script',
        category: 'a',
        config: { script: '../b/run.py' },
      }),
      '.ai/tools/b/run.py': 'print(1)',
      '.ai/tools/a/o.json': entry({
        tool_id: 'o',
        executor_id: 'python/script',
        category: 'a',
        config: { script: '../../../out.py' },
      }),
      'out.py': 'print(1)',
      '.ai/tools/a/l.json': entry({ tool_id: 'l', executor_id: 'python/script', category: 'a' }),
    })
    symlinkSync(join(root, 'out.py'), join(root, '.ai/tools/a/l.py'))
    const crib = readCrib(root)
    expect(plan(crib, 'a/t').config['args']).toEqual([
      join(root, '.ai/tools/a/deploy.py'),
      '--flag',
      'none.py',
    ])
    expect(crib.tool('a/t').source.files).toEqual([
      join(root, '.ai/tools/a/t.json'),
      join(root, '.ai/tools/a/deploy.py'),
    ])
    expect(plan(crib, 'a/s').codeFile).toBe(join(root, '.ai/tools/b/run.py'))
    expect(crib.codesOf('o.json')).toEqual(['no-code'])
    expect(crib.codesOf('l.json')).toEqual(['no-code'])
    expect(crib.tools.find((tool) => tool.source.file?.endsWith('o.json'))).toMatchObject({
      state: 'unavailable',
      runtime: null,
    })
  })

  it('takes worker and loader from a runtime alone, and only from inside its tier', () => {
    verifies('R29', 'R36', 'R79')
    const runtime = (worker: string) =>
      entry({
        tool_type: 'runtime',
        executor_id: `${core}/primitives/worker`,
        category: '',
        extensions: ['.py'],
        config: { command: 'python3', worker },
      })
    const tool = (name: string, fields: { [key: string]: unknown }) =>
      entry({ tool_id: name, category: '', ...fields })
    const root = writeCrib({
      '.ai/tools/own.json': runtime('boot/start.py'),
      '.ai/tools/far.json': runtime('/etc/passwd'),
      '.ai/tools/boot/start.py': '',
      '.ai/tools/a.json': tool('a', { executor_id: 'own' }),
      '.ai/tools/a.py': 'def execute(params, project_path): pass\n',
      '.ai/tools/b.json': tool('b', { executor_id: 'far' }),
      '.ai/tools/b.py': 'def execute(params, project_path): pass\n',
      '.ai/tools/c.json': tool('c', { executor_id: 'node/node', config: { loader: '/etc/passwd' } }),
      '.ai/tools/c.js': 'console.log(1)\n',
    })
    const crib = readCrib(root)
    const files = crib.tool('a').source.files!
    expect(files.map((file) => relative(join(root, '.ai/tools'), file))).toEqual([
      'a.json',
      'a.py',
      'boot/start.py',
    ])
    expect(crib.codesOf('b.json')).toEqual(['no-code'])
    expect(plan(crib, 'c').config['loader']).toMatch(/bootstrap\/typescript\.mjs$/)
  })

  it('of a bash data file keeps its command as shell text', () => {
    verifies('R36')
    const { config, codeFile } = plan(
      readOne('t.json', entry({ executor_id: 'bash', config: { command: 'echo "$PARAM_A"' } })),
      't',
    )
    expect(codeFile).toBeNull()
    expect(config).toMatchObject({ command: 'echo "$PARAM_A"', shell: ['${RYE_BASH}', '-c'] })
    expect(config['args']).toBeUndefined()
  })

  it('of an MCP tool carries its server, whose transport counts', () => {
    verifies('R59', 'R60', 'R62')
    const crib = readCrib(
      writeCrib({
        '.ai/tools/mcp/s.json': entry({
          tool_id: 's',
          tool_type: 'mcp_server',
          executor_id: null,
          category: 'mcp',
          config: { transport: 'stdio', command: 'x', timeout: 5 },
        }),
        '.ai/tools/t.json': entry({
          tool_type: 'mcp',
          executor_id: 'mcp/http',
          config: { server: 'mcp/s', tool_name: 'go' },
        }),
        '.ai/tools/u.json': entry({
          tool_id: 'u',
          tool_type: 'mcp',
          executor_id: 'mcp/stdio',
          config: { server: 't', tool_name: 'go' },
        }),
      }),
    )
    expect(crib.codesOf('tools/t.json')).toEqual(['mcp-transport'])
    expect(plan(crib, 't').server).toMatchObject({ id: 'mcp/s', config: { command: 'x' } })
    expect(crib.tool('t').limits.timeoutMs).toBe(5000)
    expect(crib.codesOf('u.json')).toContain('mcp-config')
  })

  it.each([
    ['http_client', { url: 'https://x' }, undefined, ['net.http']],
    ['http_client', { url: 'https://x' }, ['net.call'], ['net.call']],
    ['mcp/http', { tool_name: 't', server_config_path: 'x' }, undefined, ['net.http']],
    ['filesystem', { operation: 'list', path: 'x' }, undefined, ['fs.read']],
    ['filesystem', { operation: 'append', path: 'x' }, ['custom.x'], ['custom.x', 'fs.write']],
    ['subprocess', { command: 'x' }, undefined, null],
    ['subprocess', { command: 'x' }, [], []],
  ])('of %s %j with requires %j needs %j', (executor, config, requires, needed) => {
    verifies('R66', 'R37')
    const fields = { executor_id: executor, config, ...(requires ? { requires } : {}) }
    expect(readOne('t.json', entry(fields)).tool('t').requires).toEqual(needed)
  })
})
