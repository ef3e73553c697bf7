// The README as a new user walks it: a clean copy, a terminal, every command shown, and the output it shows. With
// TOOLCRIB_README_FULL=1 dependencies are installed too; otherwise those of this checkout are linked.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeBlocks, outputPattern, stepsOf } from '../docs/code-blocks.ts'
import { repository } from '../docs/pages.ts'

const home = mkdtempSync(join(tmpdir(), 'toolcrib-readme-'))
const copy = join(home, 'toolcrib')
const env = {
  PATH: `${join(home, 'prefix/bin')}:${process.env['PATH'] ?? ''}`,
  HOME: home,
  USER: 'ada',
  LANG: 'C.UTF-8',
  TERM: 'xterm',
  NO_COLOR: '1',
  // As a reader who said yes to the question of the first command.
  TOOLCRIB_TRUST_FOLDER: '1',
  npm_config_prefix: join(home, 'prefix'),
  npm_config_update_notifier: 'false',
  npm_config_loglevel: 'error',
  npm_config_progress: 'false',
}
const hasTerminal = spawnSync('script', ['--version']).status === 0
const blocks = codeBlocks(readFileSync(join(repository, 'README.md'), 'utf8'))
const isFull = process.env['TOOLCRIB_README_FULL'] === '1'
const started = performance.now()

describe.skipIf(!hasTerminal || !existsSync(join(repository, '.git')))('the README in a terminal', () => {
  beforeAll(() => {
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: repository, encoding: 'utf8' }).split('\0')
    for (const file of files.filter((name) => name !== '' && existsSync(join(repository, name)))) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      cpSync(join(repository, file), join(copy, file))
    }
    if (isFull) execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: copy, stdio: 'ignore' })
    else symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'))
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: copy, stdio: 'ignore' })
    // As the README says.
    mkdirSync(join(home, 'prefix/lib'), { recursive: true })
    execFileSync('npm', ['install', '-g', '.', '--ignore-scripts'], { cwd: copy, env, stdio: 'ignore' })
  }, 600_000)
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  it('begins with the two commands', () => {
    const [first] = blocks
    expect(first!.text).toMatch(/^npm ci && npm start .*\nnpm ci && npm test .*\n$/)
  })

  it('gives the output it shows, command by command', async () => {
    let cwd = copy
    let isFirst = true
    const mismatches: object[] = []
    for (const block of blocks.filter(({ language, notRun }) => language === 'console' && !notRun)) {
      for (const { command, output } of stepsOf(block.text)) {
        const got = await inTerminal(`cd ${cwd} && ${command}`)
        const [, folder] = / cd (\S+)$/.exec(command) ?? []
        if (folder) cwd = join(cwd, folder)
        if (isFirst && command.includes('toolcrib'))
          console.log(
            `from ${isFull ? 'clone' : 'clone (dependencies linked)'} to the first tool call: ${((performance.now() - started) / 1000).toFixed(1)} s`,
          )
        isFirst = false
        if (!outputPattern(output).test(got.replaceAll(copy, '/toolcrib').trimEnd()))
          mismatches.push({ line: block.line, command, output, got })
      }
    }
    expect(mismatches).toEqual([])
  }, 300_000)

  it('npm start prints a link, and Ctrl-C ends it', async () => {
    const child = spawn('script', ['-qec', 'stty cols 80; npm start', '/dev/null'], {
      cwd: copy,
      env: { ...env, TOOLCRIB_PORT: '0' },
    })
    let screen = ''
    child.stdout.on('data', (chunk) => {
      screen += String(chunk).replaceAll('\r', '')
    })
    const ended = new Promise((resolve) => child.on('close', resolve))
    await expect
      .poll(() => screen, { timeout: 120_000 })
      .toMatch(/Toolcrib is ready[^\n]*\nConsole +http:\/\/127\.0\.0\.1:\d+\/#token=\S+/)
    child.stdin.write('\u0003')
    await ended
  }, 150_000)
})

/** What a terminal of 100 columns shows. */
function inTerminal(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['-qec', `stty cols 100 rows 40; ${command}`, '/dev/null'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let screen = ''
    child.stdout.on('data', (chunk) => {
      screen += chunk
    })
    child.on('error', reject)
    child.on('close', () =>
      resolve(
        screen
          .replaceAll('\r\n', '\n')
          .replaceAll(/[^\n]*\r\u001b\[2K/g, '') // a line that was there while something took long
          .replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, ''),
      ),
    )
  })
}
