// Skills, commands and agents as other clients and public repositories write them.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openCrib } from '../../../src/crib/open-crib.ts'
import type { Tool } from '../../../src/tool/tool.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { cli } from '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'

const skill = (front: string, body = 'Do it.') => `---\n${front}\n---\n${body}\n`

async function toolsOf(files: { readonly [path: string]: string }, home = tempFolder()): Promise<Tool[]> {
  const env = { HOME: home, PATH: process.env['PATH'] }
  const crib = await openCrib({ root: tempFolder(files), cache: false, env })
  onTestFinished(() => crib.close())
  return crib.list({ all: true }).filter(({ tier }) => tier !== 'system')
}

describe('skills of the world', () => {
  verifies('D11a')

  it('are found in the folders of every client, in dot folders below them, and in small letters', async () => {
    const folders = ['skills', '.agents/skills', '.claude/skills', '.github/skills', '.codex/skills']
    const named = [...folders, '.cursor/skills', '.gemini/skills', 'skills/.curated'].map(
      (dir, index) => [`${dir}/s${index}/SKILL.md`, skill(`name: s${index}\ndescription: x`)] as const,
    )
    const small = { 'skills/small/skill.md': skill('name: small\ndescription: x') }
    const tools = await toolsOf({ ...Object.fromEntries(named), ...small })
    expect(tools.map(({ id, state }) => `${id} ${state}`)).toEqual([
      ...named.map((_, index) => `s${index} available`),
      'small available',
    ])
  })

  it('are found in dot folders below a folder of skills further in, and nowhere else', async () => {
    const found = {
      'pub/skills/.system/deep/SKILL.md': skill('name: deep\ndescription: x'),
      'pub/.cache/skills/not/SKILL.md': skill('name: not\ndescription: x'),
      '.ai/skills/.x/nor/SKILL.md': skill('name: nor\ndescription: x'),
      'skills/dist/built/SKILL.md': skill('name: built\ndescription: x'),
    }
    expect((await toolsOf(found)).map(({ id }) => id)).toEqual(['deep'])
  })

  it('are found in the home folder too', async () => {
    const home = tempFolder({
      '.agents/skills/.system/third/SKILL.md': skill('name: third\ndescription: x'),
      '.claude/skills/mine/SKILL.md': skill('name: mine\ndescription: x'),
      '.agents/skills/other/SKILL.md': skill('name: other\ndescription: x'),
    })
    expect((await toolsOf({}, home)).map(({ id, tier }) => `${id} ${tier}`)).toEqual([
      'mine user',
      'other user',
      'third user',
    ])
  })

  it.each([
    ['spaces', 'My Skill'],
    ['capitals', 'PDF'],
    ['a slash', 'group/one'],
  ])('load with %s in the name, under the name of their folder, with a warning', async (_, name) => {
    const [tool] = await toolsOf({ 'skills/my-folder/SKILL.md': skill(`name: ${name}\ndescription: x`) })
    expect(tool).toMatchObject({ id: 'my-folder', state: 'available' })
    expect(tool!.problems).toMatchObject([{ code: 'SKILL_NAME_INVALID', severity: 'warning', line: 2 }])
  })

  it.each([
    ['a colon', 'Use when: the user asks. Note: two', 'Use when: the user asks. Note: two'],
    ['a stray quote', "'It's broken'", "'It's broken'"],
  ])('load with %s in the description', async (_, written, read) => {
    const text = skill(`name: one\ndescription: ${written}\nlicense: MIT`)
    const [tool] = await toolsOf({ 'skills/one/SKILL.md': text })
    expect(tool).toMatchObject({ state: 'available', description: read, details: { license: 'MIT' } })
    expect(tool!.problems).toMatchObject([
      { code: 'SKILL_FRONTMATTER_UNQUOTED', severity: 'warning', line: 3 },
    ])
  })

  it('are broken where the block is broken elsewhere', async () => {
    const [tool] = await toolsOf({ 'skills/one/SKILL.md': skill('name: one\nmetadata: {a: [}') })
    expect(tool).toMatchObject({ state: 'invalid' })
  })

  it.each(['Read, Write, Bash(git:*)', '[Read,Write]', 'Bash(git add:*),Bash(git commit:*)'])(
    'load with allowed-tools: %s',
    async (list) => {
      const [tool] = await toolsOf({
        'skills/one/SKILL.md': skill(`name: one\ndescription: x\nallowed-tools: ${list}`),
      })
      expect(tool).toMatchObject({ id: 'one', state: 'available', problems: [] })
    },
  )
})

describe('what real skills carry', () => {
  verifies('D11b')

  const files = {
    'skills/quiet/SKILL.md': skill('name: quiet\ndescription: x\ndisable-model-invocation: true'),
    'skills/inner/SKILL.md': skill('name: inner\ndescription: x\nuser-invocable: false'),
    'skills/review/SKILL.md': skill(
      'name: review\ndescription: x\nargument-hint: "[file]"',
      'Review $ARGUMENTS with $1.',
    ),
    '.claude/commands/deploy.md': skill('description: Deploy it', 'Deploy to $1.'),
    '.claude/agents/reviewer.md': skill(
      'name: reviewer\ndescription: Reviews\ntools: Read, Grep',
      'You review.',
    ),
    'plug/.claude-plugin/plugin.json': '{"name":"plug"}',
    'plug/commands/greet.md': 'Greet $ARGUMENTS.\n',
    'docs/commands/notes.md': '# Not a command\n',
  }

  it('commands are prompts, agents are skills that a model runs, plugins count as one of the family', async () => {
    const tools = await toolsOf(files)
    expect(Object.fromEntries(tools.map(({ id, kind }) => [id, kind]))).toEqual({
      deploy: 'context',
      greet: 'context',
      inner: 'context',
      quiet: 'context',
      review: 'context',
      reviewer: 'callable',
    })
    expect(tools.find(({ id }) => id === 'reviewer')!.details).toMatchObject({ allowedTools: 'Read, Grep' })
    expect(tools.find(({ id }) => id === 'quiet')!.details).toMatchObject({ forModels: false })
  })

  it('no tool may make one of them', async () => {
    verifies('G6')
    const root = tempFolder(files)
    const crib = await openCrib({
      root,
      cache: false,
      env: { HOME: tempFolder(), PATH: process.env['PATH'] },
    })
    onTestFinished(() => crib.close())
    await crib.call('rye/file-system/list', { path: '.' })
    const made = ['plug/commands/x.md', 'new/.claude-plugin/plugin.json', '.claude/agents/x.md', 'a.tool.ts']
    for (const path of made) expect(crib.protectedSet.why(`${crib.root}/${path}`), path).toBeDefined()
    expect(crib.protectedSet.why(`${crib.root}/notes/x.md`)).toBeUndefined()
  })

  it('a client gets them as prompts, arguments put in, and never what only a model may choose', async () => {
    const root = tempFolder(files)
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [cli, 'mcp', '-C', root],
      env: { HOME: root, PATH: process.env['PATH'] ?? '' },
    })
    await client.connect(transport)
    onTestFinished(() => client.close())
    const { prompts } = await client.listPrompts()
    const names = prompts.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['deploy', 'greet', 'quiet', 'review']))
    expect(names).not.toContain('inner')
    expect(prompts.find(({ name }) => name === 'review')!.arguments).toEqual([
      { name: 'arguments', description: '[file]', required: false },
    ])
    const textOf = async (name: string, text: string) =>
      (await client.getPrompt({ name, arguments: { arguments: text } })).messages[0]!.content
    expect(await textOf('review', 'a.ts quickly')).toMatchObject({ text: 'Review a.ts quickly with a.ts.\n' })
    expect(await textOf('deploy', 'prod')).toMatchObject({ text: 'Deploy to prod.\n' })
    expect(await textOf('quiet', 'now')).toMatchObject({ text: 'Do it.\n' })
  })

  it('arguments are text: no directive in them is expanded', async () => {
    const root = tempFolder(files)
    const client = new Client({ name: 'test', version: '1' })
    const env = { HOME: root, PATH: process.env['PATH'] ?? '' }
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [cli, 'mcp', '-C', root], env }),
    )
    onTestFinished(() => client.close())
    const got = await client.getPrompt({ name: 'greet', arguments: { arguments: ':skill[quiet] $1' } })
    expect(got.messages[0]!.content).toMatchObject({ text: 'Greet :skill[quiet] $1.\n' })
  })
})
