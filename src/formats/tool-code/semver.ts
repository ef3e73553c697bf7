// SemVer 2.0 precedence. A version that is none sorts below every valid one.

const shape =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

export function isSemver(text: string): boolean {
  return text.length <= 256 && shape.test(text)
}

/** Negative when `a` is the older version; 0 when neither precedes the other. */
export function compareSemver(a: string, b: string): number {
  const left = a.length <= 256 ? shape.exec(a) : null
  const right = b.length <= 256 ? shape.exec(b) : null
  if (!left || !right) return Number(left !== null) - Number(right !== null)
  for (let part = 1; part <= 3; part++) {
    const order = compareNumbers(left[part]!, right[part]!)
    if (order !== 0) return order
  }
  return comparePrerelease(left[4], right[4])
}

function comparePrerelease(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  const left = a.split('.')
  const right = b.split('.')
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareIdentifiers(left[i]!, right[i]!)
    if (order !== 0) return order
  }
  return left.length - right.length
}

function compareIdentifiers(a: string, b: string): number {
  const numericA = /^\d+$/.test(a)
  const numericB = /^\d+$/.test(b)
  if (numericA && numericB) return compareNumbers(a, b)
  if (numericA !== numericB) return numericA ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Whole numbers as text, without leading zeros: no limit on their size. */
function compareNumbers(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : a > b ? 1 : 0
}
