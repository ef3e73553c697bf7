// Builds what is published into dist/: the program through the library of tsdown, whose own command greets every
// Node 20 user with a notice about its future, then the web console through Vite.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))

/** When something below a path was changed last; a removed file changes its folder. */
function changedAt(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))))
}

// `npx toolcrib` and `npm install -g .` prepare a clone once more; what is built already is not built again.
if (process.argv.includes('--if-stale')) {
  const sources = ['src', 'console', 'scripts', 'package.json', 'tsconfig.json', 'tsdown.config.ts']
  const built = changedAt(join(root, 'dist/console/index.html'))
  if (sources.every((path) => changedAt(join(root, path)) < built)) process.exit(0)
}

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
packTexts(join(root, 'dist/console'))

/** Beside every text of the console the same packed, once and as small as can be: no request waits for it. */
function packTexts(folder) {
  for (const name of readdirSync(folder, { recursive: true }).filter((each) =>
    /\.(html|js|css|svg)$/.test(each),
  )) {
    const text = readFileSync(join(folder, name))
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text, { params }))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text, { level: 9 }))
  }
}
