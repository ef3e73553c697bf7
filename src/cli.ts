#!/usr/bin/env node
// The `toolcrib` program. The version is answered before anything else is loaded.
import { version } from './config/version.ts'

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${version()}\n`)
} else {
  const { main } = await import('./surfaces/cli/main.ts')
  process.exitCode = await main(args)
}
