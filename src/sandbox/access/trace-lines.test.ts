import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { pathOfDescriptor, TraceLines, textOf, textsOf } from './trace-lines.ts'
import { connectionOf, pathsAsked } from './traced-calls.ts'

const call = (line: string) => new TraceLines().take(line)

it('takes a call apart, with commas and brackets inside its texts', () => {
  verifies('L5')
  expect(call('12 openat(AT_FDCWD</crib>, "a, (b).md", O_RDONLY|O_CLOEXEC) = 3</crib/a, (b).md>')).toEqual({
    pid: '12',
    name: 'openat',
    args: ['AT_FDCWD</crib>', '"a, (b).md"', 'O_RDONLY|O_CLOEXEC'],
    result: '3</crib/a, (b).md>',
  })
})

it('joins a call that others interrupted, each process by itself', () => {
  verifies('L5')
  const lines = new TraceLines()
  expect(lines.take('1 open("a", O_RDONLY <unfinished ...>')).toBeUndefined()
  expect(lines.take('2 open("b", O_RDONLY) = -1 ENOENT (No such file or directory)')).toMatchObject({
    args: ['"b"', 'O_RDONLY'],
  })
  expect(lines.take('1 <... open resumed>) = 3</crib/a>')).toMatchObject({
    pid: '1',
    args: ['"a"', 'O_RDONLY'],
    result: '3</crib/a>',
  })
})

it.each(['', '7 +++ exited with 0 +++', '7 --- SIGCHLD {si_signo=SIGCHLD} ---', 'no line', '7 open("a'])(
  'passes over what is no call: %j',
  (line) => expect(call(line)).toBeUndefined(),
)

it('reads the names that strace escapes as bytes', () => {
  verifies('L5')
  expect(textOf('"caf\\303\\251 \\"q\\" \\\\ \\n"')).toBe('café "q" \\ \n')
  expect(textOf('"cut"...')).toBeUndefined()
  expect(textsOf('["git", "log, all", "\\303\\251"]')).toEqual(['git', 'log, all', 'é'])
  expect(pathOfDescriptor('5</crib/a\\76b>')).toBe('/crib/a>b')
})

it('knows both paths of a rename, and where each counts from', () => {
  verifies('L5')
  const renamed = call('1 renameat2(3</crib>, "a", AT_FDCWD</tmp>, "b", 0) = 0')!
  expect(pathsAsked(renamed).map(({ from, path, use }) => [from, path, use])).toEqual([
    ['/crib', 'a', 'make'],
    ['/tmp', 'b', 'make'],
  ])
})

it('knows addresses of both families', () => {
  verifies('L5')
  const four =
    'connect(3<TCP:[1]>, {sa_family=AF_INET, sin_port=htons(5432), sin_addr=inet_addr("10.0.0.7")}, 16)'
  const six =
    'connect(3, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28)'
  const failed = ' = -1 ENETUNREACH (Network is unreachable)'
  expect(connectionOf(call(`1 ${four}${failed}`)!)).toEqual({ host: '10.0.0.7', port: 5432 })
  expect(connectionOf(call(`1 ${six}${failed}`)!)).toEqual({ host: '::1', port: 80 })
})
