import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { whatIsHere } from './what-is-here.ts'

it('names scripts, servers, descriptions of APIs and skills with the command that takes them in', () => {
  verifies('D3')
  const root = tempFolder({
    'report.py': 'print(1)\n',
    'bin/go': '#!/bin/sh\n',
    'notes.txt': '',
    'lib.js': 'export {}\n',
    'slug.mjs': '#!/usr/bin/env node\n',
    'petstore.openapi.yaml': 'openapi: 3.1.0\n',
    '.mcp.json': '{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}',
    '.cursor/mcp.json': 'not json',
    '.claude/skills/one/SKILL.md': '---\nname: one\n---\n',
  })
  chmodSync(join(root, 'bin/go'), 0o755)
  const home = join(root, 'nobody')
  expect(whatIsHere(root, home)).toEqual([
    { found: 'a script, report.py', command: ['add', './report.py'] },
    { found: 'a script, slug.mjs', command: ['add', './slug.mjs'] },
    { found: 'a script, bin/go', command: ['add', './bin/go'] },
    {
      found: 'the description of an API, petstore.openapi.yaml',
      command: ['add', './petstore.openapi.yaml'],
    },
    { found: '2 MCP servers of Claude Code', command: ['add', '--from', 'claude-code'] },
    { found: '1 skill in .claude/skills', command: ['list', '--all', '--format', 'skill'] },
  ])
})

it('names programs and scripts of a package.json, and plugins', () => {
  verifies('D3')
  const manifest = {
    bin: { mine: 'cli.js', gone: 'gone.js' },
    scripts: {
      prepare: 'x',
      test: 'vitest',
      lint: 'echo "Error: no test specified" && exit 1',
      'build:all': 'make',
    },
  }
  const root = tempFolder({
    'package.json': JSON.stringify(manifest),
    'cli.js': '',
    '.claude-plugin/plugin.json': '{}',
  })
  expect(whatIsHere(root, join(root, 'nobody'))).toEqual([
    { found: 'a program of package.json, cli.js', command: ['add', './cli.js'] },
    {
      found: 'a script of package.json, test',
      command: ['add', '--id', 'test', '--', 'npm', 'run', '--silent', 'test'],
    },
    {
      found: 'a script of package.json, build:all',
      command: ['add', '--id', 'build-all', '--', 'npm', 'run', '--silent', 'build:all'],
    },
    {
      found: 'a plugin with skills, commands or agents',
      command: ['list', '--all', '--format', 'skill'],
    },
  ])
})

it('says nothing of a folder that is a crib', () => {
  verifies('D3')
  expect(whatIsHere(tempFolder({ 'toolcrib.yaml': '', 'a.sh': '' }))).toBeUndefined()
})

it('names a folder of scripts by itself', () => {
  verifies('D3')
  const four = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`tools/${name}.py`, 'print(1)\n']))
  const root = tempFolder({ ...four, 'one.sh': '', 'bin/two.sh': '' })
  expect(whatIsHere(root, join(root, 'nobody'))).toEqual([
    { found: 'a script, one.sh', command: ['add', './one.sh'] },
    { found: 'a script, bin/two.sh', command: ['add', './bin/two.sh'] },
    { found: '4 scripts in tools', command: ['add', './tools'] },
  ])
})
