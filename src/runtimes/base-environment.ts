// The environment every child starts from: a few harmless names of the host and nothing else.

const names = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR']

/** PATH, HOME, LANG, LC_*, TZ, TMPDIR where set, plus the names the operator exposes. */
export function baseEnvironment(
  expose: readonly string[] = [],
  host: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const env: Record<string, string> = {}
  // Each value of process.env is a call into the host, so only those that are passed on are read.
  for (const name of Object.keys(host)) {
    if (!names.includes(name) && !name.startsWith('LC_') && !expose.includes(name)) continue
    const value = host[name]
    if (value !== undefined) env[name] = value
  }
  return env
}
