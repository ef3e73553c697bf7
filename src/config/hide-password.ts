// Addresses as people may see them: the password of a URL is not part of it.

/** The value as it is, except that `scheme://user:password@host` has no password and `token@host` no token. */
export function hidePassword(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[a-z][a-z0-9+]*:\/\/[^/]*@/i.test(value)) return value
  return value.replace(/^([a-z][a-z0-9+]*:\/\/)([^/]*)@/i, (_, scheme: string, who: string) => {
    const user = who.slice(0, Math.max(0, who.indexOf(':')))
    const isToken = !who.includes(':') && /^(nats|tls):/i.test(scheme)
    return `${scheme}${isToken ? '***' : who.includes(':') ? `${user}:***` : who}@`
  })
}
