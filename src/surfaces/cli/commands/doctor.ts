// `toolcrib doctor`: what works on this machine, and the one command that fixes the rest.
import type { CliCommand } from '../command.ts'
import { checkCrib } from '../doctor/check-crib.ts'
import { checkModels } from '../doctor/check-models.ts'
import { checkPrograms, nodeCheck } from '../doctor/check-programs.ts'
import type { Diagnosis } from '../doctor/diagnosis.ts'
import { columns, outStyle } from '../style.ts'

export const doctor: CliCommand = {
  examples: [
    ['toolcrib doctor', 'what works here and how to fix the rest'],
    ['toolcrib doctor --json', 'as data; exit 7 when something needed is missing'],
  ],
  define() {},
  async run(session) {
    const crib = await session.open()
    const [programs, models, own] = await Promise.all([
      checkPrograms(crib, session.signal),
      checkModels(crib, session.signal),
      checkCrib(crib),
    ])
    const checks = [nodeCheck(), ...programs, ...models, ...own]
    const isWell = checks.every((check) => check.ok || !check.needed)
    if (session.json) session.outJson({ ok: isWell, checks })
    else for (const line of lines(checks)) session.out(line)
    return isWell ? 0 : 7
  },
}

function lines(checks: readonly Diagnosis[]): string[] {
  const rows = columns(
    checks.map((check) => [
      check.ok ? outStyle.green('ok') : check.needed ? outStyle.red('error') : outStyle.yellow('note'),
      check.name,
      check.version ?? '',
      check.detail,
    ]),
    0,
  )
  return checks.flatMap((check, index) =>
    check.ok || !check.fix ? [rows[index]!] : [rows[index]!, `         ${outStyle.dim('fix:')} ${check.fix}`],
  )
}
