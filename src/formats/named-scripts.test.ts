import { relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { namedScripts } from './named-scripts.ts'

const library = 'say() { echo "$1"; }\n'

function namedIn(files: { readonly [path: string]: string }, words: readonly string[]): string[] {
  const project = tempFolder(files)
  return namedScripts(words, { folders: [project], project }).map((file) => relative(project, file))
}

describe('scripts that a command line names', () => {
  it.each([
    ['source ./lib.sh'],
    ['. lib.sh'],
    ['. "$(dirname "$0")/lib.sh"'],
    ['source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"'],
    ['HERE=$(cd "$(dirname "$0")" && pwd)\nsource "$HERE/lib.sh"'],
    ['[ -f lib.sh ] && . ./lib.sh'],
    ['if true; then source "${here}/lib.sh"; fi'],
  ])('are covered with what a shell script takes in: %s', (line) => {
    verifies('G6', 'G24')
    for (const name of ['run.sh', 'run'])
      expect(
        namedIn({ [name]: `#!/bin/bash\n${line}\nsay hello\n`, 'lib.sh': library }, [`./${name}`]),
      ).toEqual([name, 'lib.sh'])
  })

  it('are covered with what those take in, also in a circle', () => {
    verifies('G24')
    const files = {
      'run.sh': '#!/bin/sh\n. lib/one.sh\n',
      'lib/one.sh': '. "$(dirname "$0")/two.sh"\n',
      'lib/two.sh': '. ./one.sh\n',
    }
    expect(namedIn(files, ['run.sh'])).toEqual(['run.sh', 'lib/one.sh', 'lib/two.sh'])
  })

  it('take in nothing that is only spoken of, computed or outside', () => {
    const text =
      '#!/bin/sh\n# source ./lib.sh\necho "source ./lib.sh"\nsource "$1"\n. /etc/profile\n. ../../lib.sh\n'
    expect(namedIn({ 'run.sh': text, 'lib.sh': library }, ['run.sh'])).toEqual(['run.sh'])
  })
})
