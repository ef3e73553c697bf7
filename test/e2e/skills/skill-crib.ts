// A crib of skills in a temporary folder, written from a map of files, and the calls the cases speak of.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Crib, openCrib } from '../../../src/crib/open-crib.ts'
import type { Outcome } from '../../../src/tool/outcome.ts'

export interface Driven {
  readonly result: unknown
  readonly error?: string
  readonly code?: string
  readonly log: readonly string[]
}

export interface SkillCrib {
  readonly root: string
  readonly crib: Crib
  /** A public call. */
  run(ref: string, args?: unknown): Promise<Outcome>
  /** The value of a public call; throws when it failed. */
  value(ref: string, args?: unknown): Promise<unknown>
  /** The code of a public call's error; undefined when it went well. */
  code(ref: string, args?: unknown): Promise<string | undefined>
  /** An internal call by a code skill without middleware. */
  drive(ref: string, args?: unknown, options?: object): Promise<Driven>
  /** What skills wrote with `ctx.globals.log.push(…)` since the last look. */
  log(): Promise<string[]>
  write(files: Files): void
}

export type Files = { readonly [path: string]: string }

const driver = `
export const frontmatter = { name: 'driver', metadata: { $inherit: false, params: { type: 'object' } } }
export default async function (ctx, { ref, args, options, takeLog }) {
  ctx.globals.log ??= []
  if (takeLog) return ctx.globals.log.splice(0)
  try {
    return { result: await ctx.manager.invoke(ref, args, options), log: ctx.globals.log }
  } catch (error) {
    return { error: error.message, code: error.code, log: ctx.globals.log }
  }
}
`

/** Where code skills run: inside the host, or behind the fence with `SKILLS_HOST=never`; the rules are the same. */
export const skillsHost = process.env['SKILLS_HOST'] === 'never' ? 'never' : 'vouched'

/** On layers a run has a process and `globals` of its own, which test/e2e/effects looks at; these tests share theirs. */
const direct = skillsHost === 'never' ? { effects: { default: 'direct' as const } } : {}

const app = '---\nname: app\nmetadata:\n  role: main\n---\nThe app.\n'

/** Closed and removed when the test ends. Files are relative to the crib; a bare name goes into `skills/`. */
export async function skillCrib(
  files: Files = {},
  config: { [key: string]: unknown } = {},
  env: { [name: string]: string } = {},
): Promise<SkillCrib> {
  const root = mkdtempSync(join(tmpdir(), 'skills-'))
  const write = (given: Files) => {
    for (const [path, text] of Object.entries(given)) {
      const full = join(
        root,
        path.includes('/') || path === 'main.skill.md' || path.startsWith('.') ? path : `skills/${path}`,
      )
      mkdirSync(dirname(full), { recursive: true })
      writeFileSync(full, text)
    }
  }
  write({ 'main.skill.md': app, 'driver.skill.js': driver, ...files })
  const crib = await openCrib({
    root,
    env: { HOME: root, ...env },
    cache: false,
    config: { ...direct, ...config, skills: { host: skillsHost, ...(config['skills'] as object) } },
  })
  onTestFinished(async () => {
    await crib.close()
    rmSync(root, { recursive: true, force: true })
  })
  return {
    root,
    crib,
    write,
    run: (ref, args) => crib.call(ref, args),
    async value(ref, args) {
      const outcome = await crib.call(ref, args)
      if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`)
      return outcome.value
    },
    async code(ref, args) {
      const outcome = await crib.call(ref, args)
      return outcome.ok ? undefined : outcome.error.code
    },
    async drive(ref, args, options) {
      const outcome = await crib.call('driver', { ref, args, ...(options ? { options } : {}) })
      if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`)
      return outcome.value as Driven
    },
    async log() {
      const outcome = await crib.call('driver', { takeLog: true })
      if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`)
      return outcome.value as string[]
    },
  }
}

/** A code skill: frontmatter as JSON, body of `(ctx, args) => …`. */
export function code(metadata: object, body: string, more: object = {}): string {
  return `export const frontmatter = ${JSON.stringify({ ...more, metadata })}\nexport default async function (ctx, args) {\nctx.globals.log ??= []\n${body}\n}\n`
}

/** A middleware that logs on the way in and out. */
export function mw(name: string, metadata: object = {}): string {
  return `import { ctxTarget } from 'toolcrib/skill'\n${code(
    { role: 'middleware', ...metadata },
    `ctx.globals.log.push('${name}-in'); await ctxTarget(ctx).manager.next(); ctx.globals.log.push('${name}-out')`,
  )}`
}

/** A middleware that logs its name and lets the chain go on. */
export function spy(name: string, metadata: object = {}): string {
  return code({ role: 'middleware', ...metadata }, `ctx.globals.log.push('${name}')`)
}

export const anyParams = { params: { type: 'object' } }
