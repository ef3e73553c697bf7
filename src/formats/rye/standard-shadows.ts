// Files beside a Python script that Python takes for modules of its standard library. The script's folder comes first
// in its search path, so such a file runs as soon as any library module imports that name, named in the script or not.
import { join } from 'node:path'
import { statIfThere } from '../../files/stat-if-there.ts'
import { namesIn } from '../names-in.ts'
import { standardPython } from '../standard-modules.ts'

export function standardShadows(folder: string): string[] {
  return namesIn(folder).flatMap((name) => {
    const [module = '', ...rest] = name.split('.')
    if (!standardPython.has(module) && !/^_[^_]/.test(module)) return []
    const file = join(folder, name)
    if (/^(?:py|so|pyd)$/.test(rest.at(-1) ?? '')) return [file]
    const package_ = join(file, '__init__.py')
    return rest.length === 0 && statIfThere(package_)?.isFile() ? [package_] : []
  })
}
