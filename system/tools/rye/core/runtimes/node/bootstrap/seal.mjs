// Holds code to the digests the host judged it by, on the very bytes that are about to be compiled.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Module } from 'node:module'
import { dirname, resolve as join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const mark = 'toolcrib-seal-broken:'

/** Throws when `source` is not what the seal says of the file; without a seal everything fits. */
export function checkSeal(seal, file, source) {
  if (!seal) return
  const expected = digestOf(seal, file)
  const fits =
    expected === undefined
      ? !isClosed(seal, file)
      : expected === createHash('sha256').update(source).digest('hex')
  if (!fits) throw broken(file)
}

/** Throws when a path that the seal speaks of leads elsewhere than it did when it was judged. */
function checkPath(seal, asked, found) {
  if (asked === found) return
  const isSame = digestOf(seal, asked) === undefined ? !isClosed(seal, asked) : seal.links[asked] === found
  if (!isSame) throw broken(asked)
}

function digestOf({ files }, file) {
  return Object.hasOwn(files, file) ? files[file] : undefined
}

function isClosed({ closed, open }, file) {
  if (closed === null || !file.startsWith(`${closed}${sep}`)) return false
  const above = file.slice(closed.length + 1).split(sep).slice(0, -1)
  return !above.some((name) => name.startsWith('.') || open.includes(name))
}

function broken(file) {
  return new Error(`${mark}${file}`)
}

/** The file whose seal an error says is broken; Node puts words of its own before it where it passes the error on. */
export function brokenSeal(error) {
  const message = typeof error?.message === 'string' ? error.message : ''
  const at = message.indexOf(mark)
  return at === -1 ? undefined : message.slice(at + mark.length)
}

/** CommonJS has a loader of its own, which module hooks do not see. */
export function sealCommonJs(seal) {
  const { _resolveFilename: resolveFilename } = Module
  Module._resolveFilename = function (request, parent, ...rest) {
    const found = resolveFilename.call(this, request, parent, ...rest)
    if (/^\.{0,2}\//.test(request)) {
      const asked = join(parent?.filename ? dirname(parent.filename) : process.cwd(), request)
      // An extension or an index file may have been added to what was asked for.
      const spelled = ['', '.js', '.json', '.cjs', '.mjs', '/index.js', '/index.json'].map((end) => asked + end)
      const known = spelled.filter((path) => digestOf(seal, path) !== undefined)
      if (!spelled.includes(found)) checkPath(seal, known.find((path) => seal.links[path] === found) ?? known[0] ?? asked, found)
    }
    return found
  }
  const compile = Module.prototype._compile
  Module.prototype._compile = function (content, file, ...rest) {
    // TypeScript was judged where it was turned into this text.
    if (!file.endsWith('.ts')) checkSeal(seal, file, content)
    return compile.call(this, content, file, ...rest)
  }
  Module._extensions['.json'] = (module, file) => {
    const text = readFileSync(file, 'utf8')
    checkSeal(seal, file, text)
    module.exports = JSON.parse(text.replace(/^\uFEFF/, ''))
  }
}

let sealOfThread = null

export function initialize(data) {
  sealOfThread = data?.seal ?? null
}

/** Module hook: Node follows links before it reads, so the path is checked where it still has its name. */
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  const isFile = /^(?:file:|\.{0,2}\/)/.test(specifier) && found.url.startsWith('file:')
  if (sealOfThread && isFile)
    checkPath(sealOfThread, fileURLToPath(new URL(specifier, context.parentURL)), fileURLToPath(found.url))
  return found
}

/** Module hook: what Node read is what it compiles. */
export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (url.startsWith('file:') && loaded.source !== null && loaded.source !== undefined) {
    const file = fileURLToPath(url)
    if (!file.endsWith('.ts')) checkSeal(sealOfThread, file, loaded.source)
  }
  return loaded
}
