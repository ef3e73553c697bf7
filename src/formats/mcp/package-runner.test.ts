import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { packageRunner } from './package-runner.ts'

it.each([
  ['npx -y @scope/server . --flag', { registry: 'npm', spec: '@scope/server', args: ['.', '--flag'] }],
  ['npx -y -p pack@2 server', { registry: 'npm', spec: 'pack@2', bin: 'server', args: [] }],
  ['npx --registry https://r.example -y pack', { registry: 'npm', spec: 'pack', args: [] }],
  ['npx --package=pack -- server -x', { registry: 'npm', spec: 'pack', bin: 'server', args: ['-x'] }],
  ['pnpm dlx pack', { registry: 'npm', spec: 'pack', args: [] }],
  ['bunx pack', { registry: 'npm', spec: 'pack', args: [] }],
  ['cmd /c npx -y pack', { registry: 'npm', spec: 'pack', args: [] }],
  [
    'uvx mcp-server-time@1.0 --tz UTC',
    { registry: 'pypi', spec: 'mcp-server-time@1.0', args: ['--tz', 'UTC'] },
  ],
  ['uvx --python 3.12 pack', { registry: 'pypi', spec: 'pack', args: [] }],
  ['uvx --from pack server', { registry: 'pypi', spec: 'pack', bin: 'server', args: [] }],
  ['uv tool run --from=pack server', { registry: 'pypi', spec: 'pack', bin: 'server', args: [] }],
  ['pipx run --spec pack==2 server', { registry: 'pypi', spec: 'pack==2', bin: 'server', args: [] }],
])('%s', (line, expected) => {
  verifies('D9')
  const [command, ...args] = line.split(' ')
  expect(packageRunner(command!, args)).toEqual(expected)
})

it.each(['node server.mjs', 'uv run server.py', 'npm start', 'npx', 'uvx --from pack'])(
  '%s fetches nothing that can be named',
  (line) => {
    const [command, ...args] = line.split(' ')
    expect(packageRunner(command!, args)).toBeUndefined()
  },
)
