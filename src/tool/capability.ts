// Capabilities are dotted names (`fs.write`, `net.http`); grants may carry a scope after a colon
// (`net.http:api.example.com`). Matching is by text alone: a needed item is never a pattern.

export interface Grant {
  readonly capability: string
  /** Host for `net.*`, path glob for `fs.*`; absent means unscoped. */
  readonly scope?: string
}

/** `net.http:127.0.0.1:8080` → `{ capability: 'net.http', scope: '127.0.0.1:8080' }` */
export function parseGrant(text: string): Grant {
  const colon = text.indexOf(':')
  return colon === -1
    ? { capability: text }
    : { capability: text.slice(0, colon), scope: text.slice(colon + 1) }
}

/** True when a grant's capability pattern covers a needed capability (scopes are judged by the sandbox). */
export function coversCapability(pattern: string, needed: string): boolean {
  // Any outbound connection includes those that speak HTTP.
  if (pattern === 'net.call' && needed === 'net.http') return true
  if (pattern === needed || needed.startsWith(`${pattern}.`)) {
    return pattern === needed || pattern === 'rye.execute' || pattern.endsWith('.*')
  }
  if (!/[*?]/.test(pattern)) return false
  if (pattern.endsWith('.*') && needed === pattern.slice(0, -2)) return true
  return globMatches(pattern, needed)
}

function globMatches(pattern: string, text: string): boolean {
  let p = 0
  let t = 0
  let star = -1
  let resume = 0
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++
      resume = t
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p++
      t++
    } else if (star !== -1) {
      p = star + 1
      t = ++resume
    } else {
      return false
    }
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}
