// Builds what is published into dist/: the program through the library of tsdown, whose own command greets every
// Node 20 user with a notice about its future, then the web console through Vite.
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'
import { build as buildConsole } from 'vite'

await build({ logLevel: 'warn' })
await buildConsole({
  configFile: fileURLToPath(new URL('../console/vite.config.ts', import.meta.url)),
  logLevel: 'warn',
})
