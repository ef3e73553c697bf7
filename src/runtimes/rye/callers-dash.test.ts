import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { toolcrib } from '../../../test/helpers/toolcrib.ts'
import { verifies } from '../../../test/helpers/verifies.ts'

const files = (args: string, more = '') => ({
  '.ai/tools/say.yaml': `version: "1.0.0"
tool_type: shell
executor_id: rye/core/runtimes/bash/bash
category: ""
description: says it
config:
  command: echo
  args: ${args}
  ${more}
config_schema:
  type: object
  properties: { text: {}, flag: { type: string, default: "-n" } }
`,
})

async function say(args: string, params: object, more?: string) {
  const cwd = tempFolder({
    ...files(args, more),
  })
  return (await toolcrib(['run', 'say', '--params', JSON.stringify(params), '--json'], { cwd })).json
}

it.each([
  ['["{text}"]', { text: '-e' }],
  ['["{text}{text}"]', { text: '--version' }],
])('refuses an option that comes from a caller: %s %j', async (args, params) => {
  verifies('G26')
  expect(await say(args, params)).toMatchObject({
    ok: false,
    error: { code: 'COMMAND_ARG_REFUSED', hint: expect.stringContaining('allow_dash') },
  })
})

it.each([
  ['["-n", "{text}"]', { text: 'plain' }],
  ['["--", "{text}"]', { text: '-e' }],
  ['["{text}"]', { text: -5 }],
  ['["x{text}"]', { text: '-e' }],
])('takes what is no option, and what the author wrote: %s %j', async (args, params) => {
  verifies('G26')
  expect(await say(args, params)).toMatchObject({ ok: true })
})

it('takes it where the definition allows it', async () => {
  verifies('G26')
  expect(await say('["{text}"]', { text: '-e' }, 'allow_dash: true')).toMatchObject({ ok: true })
})
