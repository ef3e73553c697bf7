// Shows a page in the user's browser, where there is one.
import { spawn } from 'node:child_process'
import { findOnPath } from '../../config/find-on-path.ts'

/** False where nothing could be started; whether a page appears nobody can tell. */
export function openBrowser(address: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const program = browserOf(env)
  if (!program) return false
  // No shell reads the address, and the browser outlives this program.
  const child = spawn(program, [address], { detached: true, stdio: 'ignore' })
  child.on('error', () => {})
  child.unref()
  return child.pid !== undefined
}

function browserOf(env: NodeJS.ProcessEnv): string | undefined {
  const named = env['BROWSER']
  if (named) return findOnPath(named) ?? undefined
  if (process.platform === 'darwin') return '/usr/bin/open'
  const hasScreen = Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY'])
  return hasScreen ? (findOnPath('xdg-open') ?? undefined) : undefined
}
