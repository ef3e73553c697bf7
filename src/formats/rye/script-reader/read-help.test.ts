import { expect, it } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { readHelp } from './read-help.ts'

const namesIn = (text: string) => readHelp(text)!.commands[0]!.params.map(({ name }) => name)

it('takes the words of a usage line, and not what explains it to the right', () => {
  verifies('D4')
  expect(namesIn('Usage: tally FILE [more...]   counts what is in the files\n')).toEqual(['file', 'more'])
})

it('takes no list of commands for arguments, and says that they were not read', () => {
  verifies('D4')
  const read = readHelp(
    'npm <command>\n\nUsage:\n\nnpm install        install all\nnpm test           run them\n',
  )
  expect(read!.commands[0]!.params).toEqual([])
  expect(read!.notes.join()).toContain('subcommands were not read')
})

it('gives nothing for a text that is no help', () => {
  verifies('D4')
  expect(readHelp('error: unknown option --help')).toBeUndefined()
})
