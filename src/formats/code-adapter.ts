// Lets an entry written for one format's calls be called by another, and says what it then misses.
import type { Code, Convention, Losses } from './portable.ts'
import { adapterMark } from './strip-module.ts'

export function contextLoss(losses: Losses, body: Code, to: Convention): void {
  const second = { rye: 'projectPath', skill: 'ctx', 'tool-code': 'context' }
  losses.add(
    'context',
    body.convention !== to,
    `The entry was written for ${body.convention}; its ${second[body.convention]} holds only what ${to} can give.`,
  )
}

/** Lets an entry of one convention be called by another; nothing when they are the same. */
export function adapter({ convention, entry }: Code, to: Convention): string {
  if (convention === to) return to === 'tool-code' ? exportAs('execute', entry) : `export default ${entry}\n`
  const mark = `${adapterMark}${convention}, ${entry}\n`
  const call =
    convention === 'rye'
      ? `const result = await ${entry}(args, ${to === 'skill' ? 'process.cwd()' : "'.'"})\n  if (result?.success === false) throw new Error(result.error ?? 'failed')\n  return result?.data ?? result`
      : convention === 'skill'
        ? `return await ${entry}({}, args)`
        : `return await ${entry}(args, { log: console })`
  if (to === 'skill') return `${mark}export default async (ctx, args) => {\n  ${call}\n}\n`
  if (to === 'tool-code') return `${mark}export async function execute(args, context) {\n  ${call}\n}\n`
  return `${mark}export default async (args) => {\n  const run = async () => {\n    ${call}\n  }\n  return { success: true, data: await run() }\n}\n`
}

function exportAs(name: string, entry: string): string {
  return entry === name ? `export { ${entry} }\n` : `export { ${entry} as ${name} }\n`
}
