// Module hooks that turn TypeScript into JavaScript while it is loaded. Types are taken away, not checked.
import { readFile } from 'node:fs/promises'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseSync } from 'oxc-parser'
import { transformSync } from 'oxc-transform'

let seal

export function initialize(data) {
  seal = data?.seal
}

/** A relative import may leave the extension out or say `.js` where the file is `.ts`. */
export async function resolve(specifier, context, next) {
  if (/^\.{1,2}\//.test(specifier) && context.parentURL?.startsWith('file:')) {
    const path = fileURLToPath(new URL(specifier, context.parentURL))
    for (const file of [path, path.replace(/\.js$/, '.ts'), `${path}.ts`, `${path}.js`, join(path, 'index.ts'), join(path, 'index.js')]) {
      if (isFile(file)) {
        if (!file.endsWith('.ts')) return next(pathToFileURL(file).href, context)
        return { url: pathToFileURL(file).href, format: moduleKind(file), shortCircuit: true }
      }
    }
  }
  return next(specifier, context)
}

function isFile(path) {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !new URL(url).pathname.endsWith('.ts')) return next(url, context)
  const file = fileURLToPath(url)
  const text = await readFile(file, 'utf8')
  if (seal) (await import('./seal.mjs')).checkSeal(seal, file, text)
  const { code, errors } = transformSync(file, text, { sourcemap: false, typescript: { onlyRemoveTypeImports: false } })
  const error = errors.find((found) => found.severity === 'Error')
  if (error) throw new SyntaxError(`${file}: ${error.message}\n${error.codeframe ?? ''}`)
  return { format: moduleKind(file, text), source: code, shortCircuit: true }
}

/** The nearest package.json decides; without a word from it, the syntax does. */
function moduleKind(file, text = readFileSync(file, 'utf8')) {
  for (let dir = dirname(file); ; dir = dirname(dir)) {
    const manifest = join(dir, 'package.json')
    if (existsSync(manifest)) {
      const type = readType(manifest)
      if (type === 'module' || type === 'commonjs') return type
      break
    }
    if (dirname(dir) === dir) break
  }
  return parseSync(file, text).module.hasModuleSyntax ? 'module' : 'commonjs'
}

function readType(manifest) {
  try {
    return JSON.parse(readFileSync(manifest, 'utf8')).type
  } catch {
    return undefined
  }
}
