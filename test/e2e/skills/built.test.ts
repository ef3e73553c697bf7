import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { toolcrib } from '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'
import { anyParams, code, mw } from './skill-crib.ts'

it('the built program gives skills the helpers of toolcrib/skill', async () => {
  verifies('S20')
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'skills'))
  const write = (name: string, text: string) => writeFileSync(join(cwd, 'skills', name), text)
  write('around.skill.js', mw('around').replaceAll('ctx.globals.log.push', 'void '))
  write(
    'job.skill.js',
    `import { pathGet } from 'toolcrib/skill'\n${code({ ...anyParams, around: null }, `return pathGet({ a: [7] }, 'a[0]')`)}`,
  )
  const ran = await toolcrib(['run', 'job', '--json'], { cwd })
  expect(ran.json).toMatchObject({ ok: true, value: 7 })
})
