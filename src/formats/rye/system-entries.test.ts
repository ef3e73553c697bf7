import { afterAll, expect, it } from 'vitest'
import { readCrib, removeCribs, writeCrib } from '../../../test/helpers/rye-crib.ts'
import { verifies } from '../../../test/helpers/verifies.ts'

afterAll(removeCribs)

it('ships runtimes and primitives as entries without a single problem', () => {
  verifies('R29')
  const crib = readCrib(writeCrib({}))
  expect(crib.problems).toEqual([])
  const core = crib.tools.filter((tool) => tool.id.startsWith('rye/core/'))
  expect(core.map((tool) => `${tool.kind} ${tool.id}`).sort()).toEqual([
    'primitive rye/core/primitives/docker',
    'primitive rye/core/primitives/filesystem',
    'primitive rye/core/primitives/http_client',
    'primitive rye/core/primitives/mcp_client',
    'primitive rye/core/primitives/subprocess',
    'primitive rye/core/primitives/worker',
    'runtime rye/core/runtimes/bash/bash',
    'runtime rye/core/runtimes/mcp/http',
    'runtime rye/core/runtimes/mcp/stdio',
    'runtime rye/core/runtimes/node/node',
    'runtime rye/core/runtimes/python/function',
    'runtime rye/core/runtimes/python/script',
  ])
})

it('reads the example of the older document: a main function and a short executor name', () => {
  verifies('R19')
  const crib = readCrib(
    writeCrib({
      '.ai/tools/utility/hello_world.py': [
        '__version__ = "1.0.1"',
        '__tool_type__ = "python"',
        '__executor_id__ = "python_runtime"',
        '__category__ = "utility"',
        '__tool_description__ = "Greet somebody"',
        '',
        'def main(name: str = "World") -> str:',
        '    return f"Hello, {name}!"',
        '',
      ].join('\n'),
    }),
  )
  const tool = crib.tool('utility/hello_world')
  expect(tool.chain?.map((link) => link.id)).toEqual([
    'utility/hello_world',
    'rye/core/runtimes/python/function',
    'rye/core/primitives/worker',
  ])
  expect(tool.params).toEqual({
    type: 'object',
    properties: { name: { type: 'string', default: 'World' } },
    additionalProperties: false,
  })
  expect(tool.problems.map((problem) => [problem.code, problem.severity])).toEqual([
    ['schema-inferred', 'info'],
  ])
  expect(tool.runtime).toMatchObject({
    name: 'rye-worker',
    plan: { entry: 'function', entryName: 'main', runtimeId: 'rye/core/runtimes/python/function' },
  })
})
