import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { defaultConfig } from '../../config/config.ts'
import { spacesOf } from '../../config/spaces.ts'
import { formats } from '../../formats/registry.ts'
import { makeTool, type Tool } from '../../tool/tool.ts'
import { ProtectedSet } from '../../trust/protected-set.ts'
import type { Access } from './access.ts'
import { coversGrant, proposeGrants } from './propose-grants.ts'

type Told = readonly [kind: Access['kind'], what: string, address?: string]

function proposed(told: readonly Told[], more: { tool?: Partial<Tool>; sensitive?: boolean } = {}) {
  const files = 'docs/a.md docs/b.md mixed/a.md mixed/b.md mixed/.env one.txt .vscode/settings.json'.split(
    ' ',
  )
  const project = tempFolder(Object.fromEntries(files.map((file) => [file, ''])))
  const spaces = spacesOf(project, { HOME: '/home/ada' })
  const tool = makeTool({
    id: 'tried',
    format: 'rye',
    tier: 'project',
    source: { file: `${project}/.ai/tools/tried.py`, digest: '0' },
    requires: null,
    ...more.tool,
  })
  const config = defaultConfig
  return proposeGrants(
    tool,
    told.map(([kind, what, address]) => ({ kind, what, isDenied: true, address })),
    {
      config,
      spaces,
      protectedSet: new ProtectedSet({ config, spaces, tools: [tool], formats }),
      isSensitiveWanted: more.sensitive,
    },
  )
}

const grantsOf = (told: readonly Told[], more = {}) => proposed(told, more).grants

it.each<[string, readonly Told[], readonly string[]]>([
  ['one file by itself', [['read', 'docs/a.md']], ['fs.read:docs/a.md']],
  [
    'the folder of several',
    [
      ['read', 'docs/a.md'],
      ['read', 'docs/b.md'],
    ],
    ['fs.read:docs/**'],
  ],
  ['a folder that is listed', [['list', 'docs']], ['fs.read:docs/**']],
  [
    'files of the crib itself each',
    [
      ['read', 'one.txt'],
      ['read', 'two.txt'],
    ],
    ['fs.read:one.txt', 'fs.read:two.txt'],
  ],
  [
    'files beside a key each',
    [
      ['read', 'mixed/a.md'],
      ['read', 'mixed/b.md'],
    ],
    ['fs.read:mixed/a.md', 'fs.read:mixed/b.md'],
  ],
  ['a file that is changed', [['write', 'docs/a.md']], ['fs.write:docs/a.md']],
  ['the folder of a new file', [['make', 'docs/new.md']], ['fs.write:docs/**']],
  [
    'a new folder with its files',
    [
      ['make', 'out'],
      ['make', 'out/a.md'],
    ],
    ['fs.write:out/**'],
  ],
  [
    'no read inside what may be written',
    [
      ['read', 'docs/a.md'],
      ['make', 'docs/new.md'],
    ],
    ['fs.write:docs/**'],
  ],
  [
    'a host with its port',
    [['host', 'api.example.com:443', '203.0.113.9']],
    ['net.http:api.example.com:443'],
  ],
  ['the address of a private name', [['host', 'db.internal:5432', '10.0.0.7']], ['net.http:10.0.0.7:5432']],
  ['a port of this machine', [['host', '127.0.0.1:8080']], ['net.http:127.0.0.1:8080']],
  ['a program', [['program', '/usr/bin/git']], ['shell.execute']],
  ['another tool', [['call', 'text/count']], ['rye.execute.tool.text.count']],
  ['a limit not at all', [['limit', 'processes']], []],
])('proposes %s', (_, told, grants) => {
  verifies('L6')
  expect(grantsOf(told)).toEqual(grants)
})

it.each<[string, Told, string]>([
  ['keys', ['read', '/srv/.ssh/id_rsa'], 'keys or passwords'],
  ['the home folder', ['read', `${process.env['HOME']}/notes.txt`], 'home folder'],
  ['a file of passwords', ['read', 'mixed/.env'], 'keys or passwords'],
  ['a folder that holds one', ['list', 'mixed'], 'would open mixed/.env'],
  ['the metadata of a cloud', ['host', '169.254.169.254:80'], 'keys of this machine'],
  ['the same by name', ['host', 'metadata.google.internal:80'], 'keys of this machine'],
  ['a name that leads there', ['host', 'nice.example.com:80', '169.254.169.254'], 'keys of this machine'],
  ['another process', ['read', '/proc/77/environ'], 'another process'],
  ['what is outside', ['read', '/srv/data.csv'], 'outside the crib'],
  ['what the crib keeps', ['read', '.toolcrib/token'], 'no grant opens it'],
  ['the settings', ['write', 'toolcrib.yaml'], 'no grant opens it'],
  ['a protected place', ['write', '.vscode/settings.json'], 'protected'],
  ['a way past the proxy', ['host', '203.0.113.7:25', '203.0.113.7'], 'past the proxy'],
])('does not propose %s', (_, told, why) => {
  verifies('L6')
  const { grants, refused } = proposed([told])
  expect(grants).toEqual([])
  expect(refused).toHaveLength(1)
  expect(refused[0]!.why).toContain(why)
})

it('proposes what is sensitive where somebody wants it, and never what no grant opens', () => {
  verifies('L6')
  const told: Told[] = [
    ['read', 'mixed/.env'],
    ['host', '169.254.169.254:80'],
    ['write', '.vscode/settings.json'],
    ['write', 'toolcrib.yaml'],
  ]
  const { grants, refused } = proposed(told, { sensitive: true })
  expect(grants).toEqual([
    'fs.read:mixed/.env',
    'fs.write:.vscode/settings.json',
    'net.http:169.254.169.254:80',
  ])
  expect(refused.map(({ what }) => what)).toEqual(['toolcrib.yaml'])
})

it('proposes what a definition requires to start, and nothing that it does not require', () => {
  verifies('L6')
  const tool = { requires: ['fs.read', 'net.http'] }
  const { grants, missing, refused } = proposed(
    [
      ['read', 'docs/a.md'],
      ['program', '/usr/bin/git'],
    ],
    { tool },
  )
  expect(grants).toEqual(['fs.read:docs/a.md', 'net.http'])
  expect(missing).toEqual(['net.http'])
  expect(refused[0]).toMatchObject({
    what: 'shell.execute',
    why: expect.stringContaining('does not require'),
  })
})

it.each([
  ['fs.read', 'fs.read:docs/**', true],
  ['fs.read:docs/**', 'fs.read:docs/a.md', true],
  ['fs.read:docs/**', 'fs.read', false],
  ['fs.read:docs/a.md', 'fs.read:docs/**', false],
  ['fs.write', 'fs.read:docs/a.md', false],
  ['net.http', 'net.http:example.com:443', true],
  ['net.http', 'net.http:127.0.0.1:80', false],
  ['net.http:*.example.com', 'net.http:api.example.com:443', true],
  ['net.http:example.com:80', 'net.http:example.com:443', false],
])('%s covers %s: %s', (wide, narrow, isCovered) => {
  verifies('L6')
  expect(coversGrant(wide, narrow)).toBe(isCovered)
})
