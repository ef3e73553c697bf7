// Does a version of Node lie in what the `engines` of a package say? `^20.19 || >=22`, as npm reads it.
import { compareSemver } from '../../formats/tool-code/semver.ts'

/** What cannot be read keeps nobody out. */
export function isInNodeRange(version: string, range: string): boolean {
  return range
    .split('||')
    .some((part) =>
      boundsOf(part).every(
        ([from, to]) => compareSemver(version, from) >= 0 && (to === '' || compareSemver(version, to) < 0),
      ),
    )
}

const comparator = /(>=|<=|>|<|\^|~|=)?\s*v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.?[xX*])*(?:[-+][\w.-]+)?/g

/** Of each comparator the first version that it holds, and the first that it no longer does; `''`: there is none. */
function boundsOf(part: string): [from: string, to: string][] {
  const spelled = part.replace(/(\S+)\s+-\s+(\S+)/, '>=$1 <=$2')
  return [...spelled.matchAll(comparator)].map(([, sign = '', ...written]) => {
    const numbers = written.filter((number) => number !== undefined).map(Number)
    const from = [...numbers, 0, 0].slice(0, 3).join('.')
    const after = (place: number) =>
      [...numbers.slice(0, place), numbers[place]! + 1, 0, 0].slice(0, 3).join('.')
    const last = numbers.length - 1
    if (sign === '>=') return [from, '']
    if (sign === '>') return [after(last), '']
    if (sign === '<') return ['0.0.0', from]
    if (sign === '<=') return ['0.0.0', after(last)]
    if (sign === '^') return [from, after(0)]
    return [from, after(sign === '~' ? Math.min(last, 1) : last)]
  })
}
