// Which file system is mounted inside a project: an overlay does not reach into it (E2).
import { readFileSync } from 'node:fs'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'

/** The first mount point below a folder; undefined when there is none. */
export function mountedInside(folder: string): string | undefined {
  const real = nearestRealPath(folder)
  return mountPoints().find((point) => point !== real && isInside(point, real))
}

function mountPoints(): string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .flatMap((line) => line.split(' ', 5)[4] ?? [])
      .map((point) =>
        point.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
      )
  } catch {
    return []
  }
}
