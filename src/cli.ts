#!/usr/bin/env node
// The `toolcrib` program. The version is answered before anything else is loaded.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { version } from './config/version.ts'
import { useCodeCache } from './surfaces/cli/code-cache.ts'
import { splitCommand } from './surfaces/cli/split-command.ts'

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${version()}\n`)
} else {
  const { name, rest } = splitCommand(args)
  // What help compiles is little of what the command will.
  if (name && /^[a-z][a-z-]*$/.test(name) && !rest.includes('--help') && !rest.includes('-h'))
    useCodeCache(join(dirname(fileURLToPath(import.meta.url)), '.cache'), name)
  void import('./surfaces/cli/main.ts').then(async ({ main }) => {
    process.exitCode = await main(args)
  })
}
