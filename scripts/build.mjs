// Builds what is published into dist/: the program through the library of tsdown, whose own command greets every
// Node 20 user with a notice about its future, then the web console through Vite.
import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

// `npm install -g .` in a fresh clone comes here before anything is installed.
const [{ build }, { build: buildConsole }] = await Promise.all([import('tsdown'), import('vite')]).catch(
  (error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    console.error('Toolcrib is built by what `npm ci` installs. Run `npm ci` here first, then this again.')
    process.exit(1)
  },
)

await build({ logLevel: 'warn' })
await buildConsole({
  configFile: fileURLToPath(new URL('../console/vite.config.ts', import.meta.url)),
  logLevel: 'warn',
})

// npx looks here first. Without it, npx would build the package once more for its own cache.
const link = fileURLToPath(new URL('../node_modules/.bin/toolcrib', import.meta.url))
if (existsSync(dirname(link))) {
  rmSync(link, { force: true })
  try {
    symlinkSync('../../dist/cli.js', link)
  } catch {
    // Where links cannot be made, npx goes the longer way.
  }
}
