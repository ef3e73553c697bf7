// System parts that make more tests run. A test asks with `it.skipIf(!has('bwrap'))`.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

interface SystemPart {
  readonly name: string
  readonly present: boolean
  readonly fix: string
}

const fixes: Record<string, string> = {
  python3: 'apt-get install python3',
  bwrap: 'apt-get install bubblewrap',
  git: 'apt-get install git',
}

/** True when a program is on PATH. */
export function has(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((dir) => {
    try {
      accessSync(join(dir, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

export function systemParts(): SystemPart[] {
  return Object.entries(fixes).map(([name, fix]) => ({ name, present: has(name), fix }))
}
