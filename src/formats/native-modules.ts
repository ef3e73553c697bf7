// Compiled Python modules.
import { join } from 'node:path'
import { namesIn } from './names-in.ts'

/** `name.so`, `name.cpython-312-x86_64-linux-gnu.so`: Python takes them before `name.py`. */
export function nativeModules(folder: string, name: string): string[] {
  return namesIn(folder)
    .filter((file) => file.startsWith(`${name}.`) && /\.(?:so|pyd)$/.test(file))
    .map((file) => join(folder, file))
}
