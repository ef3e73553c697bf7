// Hints of calls that are refused late: by a resolved ref, a built command, a checked path, a written result.
import type { Step, Table } from './place.ts'
import type { Files } from './put.ts'
import { code, descriptor, doc, markdown, rye } from './writers.ts'

const call =
  (files: Files, ref: string, params: unknown = {}): Step =>
  (at) =>
    at.call(files, ref, params)
const twice: Files = { '.ai/tools/a.yaml': rye('one'), '.ai/tools/b.yaml': rye('one') }
const granted: Files = {
  'toolcrib.yaml': 'grants: { default: [fs.read, fs.write, shell.execute, "net.http:127.0.0.1:9"] }\n',
}
const words = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } }
const say = (args: readonly object[]): Files => ({
  'skills/say/SKILL.md': markdown('say'),
  'skills/say/tools.json': descriptor(
    { tools: [{ name: 'say_it', description: 'Says', parameters: words }] },
    { args },
  ),
})
const inline = (text: string): Files => ({
  'skills/a.skill.md': markdown(
    'a',
    `metadata:\n  params: { type: object }\n  delegate: 'inline://code,export default (ctx, args) => ${text}'\n`,
  ),
})
const anyParams = ', metadata: { params: { type: "object" } }'

export const late: Table = {
  'Use one of these ids.': [call(twice, 'one'), call({ ...twice, ...granted }, 'a')],
  'The tool must return JSON values: no cycles, no BigInt.': [
    (at) =>
      at.cli(['run', 'a', '--json'], {
        files: { 'skills/a.skill.js': code('a', anyParams, 'export default () => ({ n: 1n })\n') },
      }),
    (at) =>
      at.cli(['run', 'a', '--json'], {
        files: { 'skills/a.skill.js': code('a', anyParams, 'export default () => ({ n: 1 })\n') },
      }),
  ],
  'Make it a tool.code.v1 document with context.code.source exporting execute.': [
    (at) => at.check({ 'crumbs/a.json': doc({ name: 'a' }, { schema_name: 'tool.v1' }) }),
    (at) => at.check({ 'crumbs/a.json': doc({ name: 'a' }) }),
  ],
  'Only locals.config and globals.config can be inserted into inline code; the rest comes as arguments. Write \\${ for a literal ${.':
    [call(inline('"${args.n}"'), 'a', { n: 'x' }), call(inline('args.n'), 'a', { n: 'x' })],
  'Name a tool.config.v1 breadcrumb of this tool, or leave config_id out to use the newest one.': [
    call({ 'crumbs/a.json': doc({ name: 'a' }) }, 'a', { a: 1, config_id: 'nothing' }),
    call({}, 'a', { a: 1 }),
  ],
  'Give "${}", or leave out "${}".': [
    call(say([{ param: 'a' }, { param: 'b' }]), 'say_it', { b: '2' }),
    call({}, 'say_it', { a: '1', b: '2' }),
  ],
  'Give a path relative to the project.': [
    call({ ...say([{ param: 'a', kind: 'workingdir' }]), 'sub/x': '' }, 'say_it', { a: '../..' }),
    call({}, 'say_it', { a: 'sub' }),
  ],
}
