// What a tool says is shown on a terminal as text: it cannot write escape codes, titles, or lines of its own making.
import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { plain } from '../../src/surfaces/cli/style.ts'
import { proves } from '../helpers/proves.ts'
import { has } from '../helpers/system-parts.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli, toolcrib } from '../helpers/toolcrib.ts'

const nasty = '\\u001b]0;owned\\u0007\\u001b[2J\\u009b31mred\\u202edesrever\\r\\bx'
const skill = (body: string) =>
  `/*---\nname: nasty\ndescription: d\n---*/\nexport default (ctx) => { ${body} }\n`

function onTerminal(cwd: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(
      'script',
      ['-qec', `stty cols 120 rows 40; '${process.execPath}' '${cli}' run nasty`, '/dev/null'],
      {
        cwd,
        env: { PATH: process.env['PATH'], HOME: cwd, TERM: 'xterm', NO_COLOR: '1', TOOLCRIB_TRUST: 'off' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => (said += chunk))
    child.on('close', () => resolve(said))
  })
}

describe.skipIf(!has('script'))('on a terminal', () => {
  it.each([
    ['a result', `return "${nasty}"`],
    ['a result that is an object', `return { a: "${nasty}" }`],
    ['an error', `throw new Error("${nasty}")`],
    ['a log line', `ctx.log?.info?.("${nasty}"); return "done"`],
  ])('%s has no escape codes', async (_, body) => {
    proves('terminal')
    const said = await onTerminal(tempFolder({ 'nasty.skill.js': skill(body) }))
    expect(said).not.toMatch(/\u001b\]0;owned|\u001b\[2J|\u009b31m|\u202e|\u0008/)
  })
})

it.each(['list', 'show', 'why'])('%s shows the name of a file as text', async (command) => {
  const id = 'a\u001b]0;owned\u0007\u009b31m'
  const head = ['version 1.0.0', 'tool_type script', 'executor_id bash', 'description d']
  const cwd = tempFolder({ [`.ai/tools/${id}.sh`]: head.map((tag) => `# @${tag}\n`).join('') })
  const { stdout } = await toolcrib(command === 'list' ? ['list'] : [command, id], { cwd })
  expect(stdout).toContain('a\ufffd]0;owned\ufffd\ufffd31m')
  expect(stdout).not.toMatch(/[\u001b\u0007\u009b]/)
})

it('into a pipe the result goes byte for byte', async () => {
  const cwd = tempFolder({ 'nasty.skill.js': skill(`return "${nasty}"`) })
  const { stdout } = await toolcrib(['run', 'nasty'], { cwd, env: { TOOLCRIB_TRUST: 'off' } })
  expect(stdout).toBe(`${JSON.parse(`"${nasty}"`)}\n`)
})

it('keeps line breaks and tabs', () => {
  expect(plain('a\tb\nc\u001b[31m')).toBe('a\tb\nc\ufffd[31m')
})
