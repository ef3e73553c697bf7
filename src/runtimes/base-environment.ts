// The environment every child starts from: a few harmless names of the host and nothing else.

const names = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR']

/** PATH, HOME, LANG, LC_*, TZ, TMPDIR where set, plus the names the operator exposes. */
export function baseEnvironment(
  expose: readonly string[] = [],
  host: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && (names.includes(name) || name.startsWith('LC_') || expose.includes(name)))
      env[name] = value
  }
  return env
}
