// Node's own `import()`. It stands in a module of its own, made from text, so that bundlers and test runners,
// which replace the `import()` they see, leave it alone; code from a cache has none at all.
import { Module } from 'node:module'

type Load = (url: string) => Promise<{ readonly [name: string]: unknown }>

let native: Load | undefined

export function importNative(url: string): ReturnType<Load> {
  native ??= compiled()
  return native(url)
}

function compiled(): Load {
  const module = new Module('import-native') as Module & { _compile(text: string, file: string): void }
  module._compile('module.exports = (url) => import(url)', 'import-native.cjs')
  return module.exports as Load
}
