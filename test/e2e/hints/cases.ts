// What the command line refuses, and what its hint asks for beyond the commands and settings that it names.
import { toolDocument } from '../../../src/formats/tool-code/fixture.ts'
import { echo, tell, withServer } from '../../helpers/telling-server.ts'

export type Files = { readonly [path: string]: string | null }

export interface Case {
  readonly files?: Files
  /** Done before the command that is refused. */
  readonly first?: readonly (readonly string[] | Files)[]
  readonly run: readonly string[]
  readonly env?: Record<string, string>
  /** What a person does by hand: files to write (null: remove), or another command in place of the first one. */
  readonly byHand?: Files | { readonly again: readonly string[] }
  /** What it says stops nothing; the hint is not printed any more once it was followed. */
  readonly isWarning?: boolean
  /** The hint only shows the way to what there is. */
  readonly isAnswered?: boolean
}

const say = `version: "1.0.0"
tool_type: script
executor_id: subprocess
description: Says hello
tool_id: say
requires: [shell.execute]
parameters: [{ name: word, type: string, description: What, required: false }]
config: { command: echo, args: [hello] }
`
const sayFiles = { '.ai/tools/say.yaml': say }
const code = `/*---
name: code
description: Says it
metadata: { params: { type: object } }
---*/
export default () => 'one'
`
const withGrant = { 'toolcrib.yaml': 'grants: { tools: { say: [shell.execute] } }\n' }
const sayable = { ...sayFiles, ...withGrant }

const echoSkill = {
  'skills/say/SKILL.md': '---\nname: say\ndescription: Says things\n---\nSays.\n',
  'skills/say/tools.json': JSON.stringify({
    tools: [{ name: 'say_it', description: 'Says it', parameters: { type: 'object', properties: {} } }],
    allowlist: { echo: [''] },
    execution: [
      { tool: 'say_it', binary: 'echo', subcommand: '', args: [{ kind: 'literal', value: 'hello' }] },
    ],
  }),
}
const api =
  'openapi: 3.0.3\ninfo: { title: T, version: 1.0.0 }\nservers: [{ url: https://x.example }]\npaths: { /a: { get: { operationId: a, responses: {} } } }\n'
const report = '"""Report."""\nprint("x")\n'
const { '.mcp.json': _, ...serverFile } = withServer()

export const cases: { readonly [name: string]: Case } = {
  'an id for a folder of scripts': {
    files: { 'scripts/report.py': report, 'scripts/other.py': report },
    run: ['add', './scripts', '--id', 'say', '--yes'],
    byHand: { again: ['add', './scripts/report.py', '--id', 'say', '--yes'] },
  },
  'a name that is nearly right': { files: sayable, run: ['run', 'sya'], byHand: { again: ['run', 'say'] } },
  'a name that is nothing like it': { files: sayable, run: ['run', 'qqqqqqq'], isAnswered: true },
  'a file of no tool': { files: sayable, run: ['why', 'qqqqqqq'], isAnswered: true },
  'parameters that are wrong': {
    files: sayable,
    run: ['run', 'say', '--params', '{"word": 5}'],
    isAnswered: true,
  },
  'a capability that nobody granted': { files: sayFiles, run: ['run', 'say'] },
  'a capability that nobody granted, in a folder that was not accepted': {
    files: sayFiles,
    env: { TOOLCRIB_TRUST_FOLDER: '0' },
    run: ['run', 'say'],
  },
  'a tool that changed': {
    files: { 'skills/code.skill.js': code },
    first: [['lock'], { 'skills/code.skill.js': code.replace("'one'", "'two'") }],
    run: ['run', 'code'],
  },
  'a tool that is not pinned, frozen': {
    files: { 'skills/code.skill.js': code },
    first: [['lock'], { 'skills/more.skill.js': code.replace('name: code', 'name: more') }],
    run: ['run', 'more', '--frozen'],
  },
  'no lock file to approve in': {
    files: { 'skills/code.skill.js': code },
    run: ['approve', 'code', '--yes'],
    isAnswered: true,
  },
  'a lock that cannot be read': {
    files: { 'skills/code.skill.js': code, 'toolcrib.lock': '{' },
    run: ['run', 'code'],
    byHand: { 'toolcrib.lock': null },
  },
  'nothing to approve': {
    files: { 'skills/code.skill.js': code },
    first: [['lock']],
    run: ['approve', 'code', '--yes'],
    isAnswered: true,
  },
  'a server that changed': {
    files: withServer(),
    first: [['lock'], { 'definitions.json': JSON.stringify([{ ...echo, description: 'Other' }, tell]) }],
    run: ['run', 'box-echo'],
  },
  'a crib that was stopped': { files: sayable, first: [['halt']], run: ['run', 'say'] },
  'a tool that asks a person first': {
    files: { ...sayFiles, 'toolcrib.yaml': `${withGrant['toolcrib.yaml']}approve: [say]\n` },
    run: ['run', 'say'],
    byHand: { again: ['run', 'say', '--approve'] },
  },
  'a secret that is missing': {
    files: {
      'crumbs/adder.json': JSON.stringify(toolDocument({ required_secrets: ['API_KEY'] })),
    },
    run: ['run', 'adder', '--a', '1'],
  },
  'a setting that is nearly right': {
    files: { ...sayFiles, 'toolcrib.yaml': 'limit: { timeoutMs: 5 }\n' },
    run: ['check'],
    byHand: { 'toolcrib.yaml': 'limits: { timeoutMs: 5 }\n' },
  },
  'a setting that is wrong': {
    files: { ...sayFiles, 'toolcrib.yaml': 'limits: { timeoutMs: long }\n' },
    run: ['check'],
    byHand: { 'toolcrib.yaml': 'limits: { timeoutMs: 5000 }\n' },
  },
  'a setting for a tool that is not here': {
    files: { ...sayFiles, 'toolcrib.yaml': 'grants: { tools: { "sya": [shell.execute] } }\n' },
    run: ['check'],
    byHand: { ...withGrant },
  },
  'a folder that was not accepted': {
    files: sayable,
    env: { TOOLCRIB_TRUST_FOLDER: '0' },
    run: ['run', 'say'],
  },
  'an offer that is not there': { files: sayable, run: ['list', '--offer', 'work'] },
  'an offer that is nearly right': {
    files: { ...sayFiles, 'toolcrib.yaml': 'offers: { work: { tools: ["*"] } }\n' },
    run: ['list', '--offer', 'wrok'],
    byHand: { again: ['list', '--offer', 'work'] },
  },
  'a run that is not there': { files: sayable, run: ['runs', 'show', '0000'], isAnswered: true },
  'a run that cannot be undone': { files: sayable, run: ['undo', '0000'], isAnswered: true },
  'a schedule that is not there': { run: ['schedules', 'run', 'x'], isAnswered: true },
  'a subscription that is not there': { run: ['subscriptions', 'pause', 'x'], isAnswered: true },
  'a request that is not there': { run: ['requests', 'retry', 'x'], isAnswered: true },
  'a secret that is not there': { run: ['secrets', 'rm', 'NOPE'], isAnswered: true },
  'a token that is not there': { run: ['tokens', 'rm', 'nope'], isAnswered: true },
  'a key that is not there': { run: ['keys', 'revoke', '0123456789abcdef'], isAnswered: true },
  'nothing to sign with': { files: sayFiles, run: ['sign', 'say'] },
  'a command that is nearly right': { run: ['lst'], byHand: { again: ['list'] } },
  'a command that is nothing like it': { run: ['qqqqqq'], isAnswered: true },
  'an option that is not there': { run: ['list', '--qqqq'], isAnswered: true },
  'a path that is not there': { files: sayFiles, run: ['check', 'nowhere/'], isAnswered: true },
  'a resource that is not there': { run: ['read', 'nothing://here'], isAnswered: true },
  'an export that is not there': {
    files: sayable,
    run: ['export', '--as', 'openia'],
    byHand: { again: ['export', '--as', 'openai'] },
  },
  'a script that was added': {
    files: { 'report.py': '"""Report."""\nprint("x")\n' },
    first: [['add', './report.py', '--yes']],
    run: ['add', './report.py', '--yes'],
    byHand: { again: ['add', './report.py', '--yes', '--id', 'report2'] },
  },
  'a tool of that id': {
    first: [['new', 'rye', 'text/one']],
    run: ['new', 'rye', 'text/one'],
    byHand: { again: ['new', 'rye', 'text/two'] },
  },
  'a call that takes too long': {
    files: { ...sayable, '.ai/tools/say.yaml': say.replace('echo, args: [hello]', 'sleep, args: ["0.5"]') },
    run: ['run', 'say', '--timeout', '0.2'],
    byHand: { again: ['run', 'say', '--timeout', '20'] },
  },
  'a client that has another server of the name': {
    files: { ...sayable, '.mcp.json': '{"mcpServers":{"toolcrib":{"command":"other"}}}' },
    run: ['connect', 'claude-code'],
    byHand: { again: ['connect', 'claude-code', '--yes'] },
  },
  'a client file that is no JSON': {
    files: { ...sayable, '.cursor/mcp.json': '{' },
    run: ['connect', 'cursor', '--yes'],
    byHand: { '.cursor/mcp.json': '{}' },
  },
  'a server entry without a command': {
    files: { '.mcp.json': '{"mcpServers":{"x":{}}}' },
    run: ['check'],
    byHand: { '.mcp.json': '{"mcpServers":{"x":{"command":"node"}}}' },
  },
  'no port for a server of the name': {
    files: { '.mcp.json': '{"mcpServers":{"words":{"command":"x"}}}' },
    run: ['new', 'mcp', 'words'],
    byHand: { '.mcp.json': '{"mcpServers":{}}' },
  },
  'an unsigned tool where signatures are needed': {
    files: { ...sayFiles, 'toolcrib.yaml': `trust: require\n${withGrant['toolcrib.yaml']}` },
    first: [['keys', 'new']],
    run: ['run', 'say'],
  },
  'a signed tool that changed': {
    files: { ...sayFiles, 'toolcrib.yaml': `trust: require\n${withGrant['toolcrib.yaml']}` },
    first: [['keys', 'new'], ['sign', 'say'], { '.ai/tools/say.yaml': '+# more\n' }],
    run: ['run', 'say'],
  },
  'a signature line that cannot be read': {
    files: { '.ai/tools/say.yaml': `# rye:signed:2026-01-01T00:00:00Z:abc:def:0123\n${say}` },
    first: [['keys', 'new']],
    run: ['check'],
    isWarning: true,
  },
  'a token of that name': { first: [['tokens', 'new', 'ci']], run: ['tokens', 'new', 'ci'] },
  'a tool whose skill is disabled': {
    files: { ...echoSkill, 'toolcrib.yaml': 'skills: { disabled: [say] }\n' },
    run: ['run', 'tools-json:say/say_it'],
    byHand: { 'toolcrib.yaml': '' },
  },
  'a file that is no tool': { files: { 'notes.txt': 'x\n' }, run: ['why', 'notes.txt'], isAnswered: true },
  'a file that is ignored': {
    files: { ...sayable, '.toolcribignore': '.ai/tools/say.yaml\n' },
    run: ['run', 'say'],
    byHand: { '.toolcribignore': null },
  },
  'a run to test that is not there': {
    files: sayable,
    run: ['test', '--from-run', '0000'],
    isAnswered: true,
  },
  'a proposal that is not there': { files: sayable, run: ['grants', 'accept', '9'], isAnswered: true },
  'a document of no API': {
    files: { 'api.yaml': 'name: x\n' },
    run: ['add', './api.yaml', '--yes'],
    byHand: { 'api.yaml': api },
  },
  'no name of a tool': { files: sayable, run: ['run', ''], isAnswered: true },
  'a server that is not there': { run: ['run', 'mcp://nope/x'], isAnswered: true },
  'a tool that nobody calls': { run: ['run', 'rye/core/runtimes/python/function'], isAnswered: true },
  'a tool that is no resource': { files: sayable, run: ['read', 'say'], isAnswered: true },
  'a server for others without a token': {
    run: ['serve', '--host', '0.0.0.0', '--port', '0'],
    isAnswered: true,
  },
  'files changed over the network': {
    run: ['serve', '--host', '0.0.0.0', '--port', '0', '--edit', '--token', 'x'.repeat(40)],
    isAnswered: true,
  },
  'a token that is too short': { run: ['serve', '--port', '0', '--token', 'x'], isAnswered: true },
  'a crib that has no store': { run: ['store', 'copy', '--to', 'copy.db'], isAnswered: true },
  'a secret of a server that is missing': {
    files: {
      ...withServer(),
      '.mcp.json': JSON.stringify({
        mcpServers: { box: { command: 'node', args: ['server.mjs'], env: { KEY: '${secret:BOX_KEY}' } } },
      }),
    },
    run: ['run', 'box-echo'],
    isAnswered: true,
  },
  'a key that is none': { files: { 'key.pem': 'x\n' }, run: ['keys', 'trust', 'key.pem'], isAnswered: true },
  'a call that runs longer than its skill may': {
    files: {
      ...echoSkill,
      'skills/say/tools.json': echoSkill['skills/say/tools.json']
        .replaceAll('echo', 'sleep')
        .replace('"hello"', '"1"'),
      'toolcrib.yaml': 'skills: { timeoutMs: 200 }\n',
    },
    run: ['run', 'say_it'],
    byHand: { 'toolcrib.yaml': 'skills: { timeoutMs: 20000 }\n' },
  },
  'a program that is not here': {
    files: { ...sayable, '.ai/tools/say.yaml': say.replace('command: echo', 'command: no-such-program') },
    run: ['run', 'say'],
    byHand: { '.ai/tools/say.yaml': say },
  },
  'a settings file that is no YAML': {
    files: { ...sayFiles, 'toolcrib.yaml': 'grants: {\n' },
    run: ['run', 'say'],
    byHand: { ...withGrant },
  },
  'a server entry of another program': {
    files: { '.mcp.json': '{"mcpServers":{"box":{"command":"x"}}}', ...serverFile },
    run: ['add', 'box', '--no-input', '--', 'node', 'server.mjs'],
    byHand: { again: ['add', 'box', '--yes', '--', 'node', 'server.mjs'] },
  },
  'a script that is not there': { run: ['add', './report.py', '--yes'], byHand: { 'report.py': report } },
  'a script that is wrong': {
    files: { 'report.py': 'print("x"\n' },
    run: ['add', './report.py', '--yes'],
    byHand: { 'report.py': report },
  },
  'a script that nothing says how to run': {
    files: { report: 'echo x\n' },
    run: ['add', './report', '--yes'],
    byHand: { report: '#!/bin/sh\n# Reports\necho x\n' },
  },
  'a script outside the crib': {
    files: { 'crib/toolcrib.yaml': '', 'report.py': report },
    run: ['add', '-C', 'crib', './report.py', '--yes'],
    byHand: { again: ['add', '-C', '.', './report.py', '--yes'] },
  },
  'an example that is no JSON': {
    files: { 'report.py': report },
    run: ['add', './report.py', '--yes', '--example', 'x'],
    byHand: { again: ['add', './report.py', '--yes', '--example', '{}'] },
  },
  'a folder without skills': {
    files: { 'more/readme.txt': 'x\n' },
    run: ['add', './more', '--yes'],
    byHand: { 'more/one/SKILL.md': '---\nname: one\ndescription: Says\n---\nSay.\n' },
  },
  'a name that no server has': {
    files: serverFile,
    run: ['add', 'b%x', '--yes', '--', 'node', 'server.mjs'],
    byHand: { again: ['add', 'bx', '--yes', '--', 'node', 'server.mjs'] },
  },
  'a pattern of no operation': {
    files: { 'api.yaml': api },
    run: ['add', './api.yaml', '--yes', '--include', 'nothing'],
    byHand: { again: ['add', './api.yaml', '--yes', '--include', 'GET /a'] },
  },
  'an agent without a task': { run: ['agent'], isAnswered: true },
  'a format without a template': { run: ['new', 'ryee', 'x'], byHand: { again: ['new', 'rye', 'x'] } },
  'a new tool without an id': { run: ['new', 'rye'], byHand: { again: ['new', 'rye', 'text/count'] } },
  'an id that no tool has': { run: ['new', 'rye', 'a b'], byHand: { again: ['new', 'rye', 'text/count'] } },
  'a language without a template': {
    run: ['new', 'rye', 'x', '--language', 'cobol'],
    byHand: { again: ['new', 'rye', 'x', '--language', 'py'] },
  },
  'a tool of that format already': {
    files: sayFiles,
    run: ['convert', 'say', '--to', 'rye'],
    byHand: { again: ['convert', 'say', '--to', 'tools-json'] },
  },
  'a format that is not there': {
    files: sayable,
    run: ['list', '--format', 'nope'],
    byHand: { again: ['list', '--format', 'rye'] },
  },
  'an offer that is nothing like it': {
    files: { ...sayFiles, 'toolcrib.yaml': 'offers: { work: { tools: ["*"] } }\n' },
    run: ['list', '--offer', 'qqqqqqqq'],
    byHand: { again: ['list', '--offer', 'work'] },
  },
  'a breadcrumb of nothing': { run: ['crumbs', 'update', 'x'], isAnswered: true },
  'a store action that is not there': { run: ['store', 'move'], isAnswered: true },
  'no skill to run': {
    files: { 'skills/a/SKILL.md': '---\nname: a\ndescription: d\n---\n' },
    run: ['run'],
    isAnswered: true,
  },
  'a .mcp.json that is no JSON': {
    files: { '.mcp.json': '{' },
    run: ['new', 'mcp', 'words'],
    byHand: { '.mcp.json': '{"mcpServers":{}}' },
  },
  'a .mcp.json without servers': {
    files: { '.mcp.json': '{"mcpServers":[]}' },
    run: ['new', 'mcp', 'words'],
    byHand: { '.mcp.json': '{"mcpServers":{}}' },
  },
  'a package that is not in the registry': {
    run: ['add', 'x', '--yes', '--', 'npx', '-y', 'file:./nowhere'],
    isAnswered: true,
  },
  'parameters that are no object': {
    files: echoSkill,
    run: ['run', 'say_it', '--params', '[1]'],
    byHand: { again: ['run', 'say_it', '--params', '{}'] },
  },
  'a file outside, asked about': {
    files: sayable,
    run: ['why', '/etc/hostname'],
    isAnswered: true,
    isWarning: true,
  },
  'an ignored file, asked about': {
    files: { ...sayable, '.toolcribignore': '.ai/tools/say.yaml\n' },
    run: ['why', '.ai/tools/say.yaml'],
    byHand: { '.toolcribignore': null },
    isWarning: true,
  },
  'code in a ref': { run: ['run', 'inline://code,1'], isAnswered: true },
}
