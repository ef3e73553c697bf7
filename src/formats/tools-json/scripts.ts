// A script a skill names, to the file that will run: inside the skill's own `scripts` folder by real path, or
// not at all.
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { isScriptName } from './read-execution.ts'

export type FoundScript = { readonly file: string } | { readonly refused: string }

/** `scripts/<name>`, else `scripts/<name>.sh`; a link that leads out is refused. */
export function findScript(skillDir: string, name: string): FoundScript {
  if (!isScriptName(name)) return { refused: `the script name ${JSON.stringify(name)} is not allowed` }
  const folder = join(skillDir, 'scripts')
  const candidate = [join(folder, name), join(folder, `${name}.sh`)].find(
    (file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined,
  )
  if (!candidate) return { refused: `there is no script scripts/${name}` }
  try {
    const realSkill = realpathSync(skillDir)
    const realFolder = realpathSync(folder)
    const file = realpathSync(candidate)
    if (!isInside(realFolder, realSkill)) return { refused: 'the scripts folder leads out of the skill' }
    if (!isInside(file, realFolder)) return { refused: `scripts/${name} leads out of the scripts folder` }
    return statSync(file).isFile() ? { file } : { refused: `scripts/${name} is no regular file` }
  } catch (error) {
    return { refused: `scripts/${name} cannot be read: ${(error as Error).message}` }
  }
}
