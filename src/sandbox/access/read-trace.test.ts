import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { Access } from './access.ts'
import { TraceReader } from './read-trace.ts'

function accessesOf(lines: (project: string) => readonly string[], countsPrograms = true): Access[] {
  const project = tempFolder({ 'tool.py': '', 'docs/a.md': 'a', '.env': 'K=1', 'lib/m.py': '' })
  const seen: Access[] = []
  const reader = new TraceReader({
    project,
    spec: { file: '/usr/bin/python3', args: ['tool.py'], cwd: project, env: {} },
    given: [join(project, 'tool.py'), join(project, 'lib')],
    countsPrograms,
    onAccess: (access) => seen.push(access),
  })
  const start = '9 execve("/usr/bin/python3", ["/usr/bin/python3", "tool.py"], 0x7f /* 3 vars */) = 0'
  for (const line of ['8 openat(AT_FDCWD</>, "/root/x", O_RDONLY) = 3', start, ...lines(project)])
    reader.take(line)
  expect(reader.hasBegun).toBe(true)
  return seen
}

const missing = '-1 ENOENT (No such file or directory)'

it('tells reads, lists, writes and what is made, denied or not', () => {
  verifies('L5')
  const seen = accessesOf((project) => [
    `9 openat(AT_FDCWD<${project}>, "docs/a.md", O_RDONLY) = 3`,
    `9 openat(AT_FDCWD<${project}>, "docs", O_RDONLY|O_DIRECTORY) = ${missing}`,
    `9 openat(AT_FDCWD<${project}>, "docs/a.md", O_WRONLY|O_TRUNC) = -1 EROFS (Read-only file system)`,
    `9 openat(AT_FDCWD<${project}>, "out.txt", O_WRONLY|O_CREAT, 0666) = 4`,
    '10 unlink("docs/a.md") = 0',
  ])
  expect(seen).toEqual([
    { kind: 'read', what: 'docs/a.md', isDenied: false },
    { kind: 'list', what: 'docs', isDenied: true },
    { kind: 'write', what: 'docs/a.md', isDenied: true },
    { kind: 'make', what: 'out.txt', isDenied: false },
    { kind: 'make', what: 'docs/a.md', isDenied: false },
  ])
})

it('leaves out what is not there, what every process sees, its own code and what the fence did before', () => {
  verifies('L5')
  const seen = accessesOf((project) => [
    `9 openat(AT_FDCWD<${project}>, "nowhere.txt", O_RDONLY) = ${missing}`,
    `9 openat(AT_FDCWD<${project}>, "/usr/lib/x.so", O_RDONLY) = 3`,
    `9 openat(AT_FDCWD<${project}>, "lib/m.py", O_RDONLY) = 3`,
    `9 openat(AT_FDCWD<${project}>, "${project}", O_RDONLY|O_DIRECTORY) = 3`,
    `8 openat(AT_FDCWD<${project}>, "docs/a.md", O_RDONLY) = 3`,
    `9 mkdir("lib/__pycache__", 0777) = -1 EROFS (Read-only file system)`,
  ])
  expect(seen).toEqual([])
})

it('tells what was asked of keys of the machine and of the home folder, which every view hides', () => {
  verifies('L5')
  const seen = accessesOf(() => [
    `9 openat(AT_FDCWD</>, "/etc/shadow", O_RDONLY) = ${missing}`,
    `9 openat(AT_FDCWD</>, "/etc/hostname", O_RDONLY) = ${missing}`,
    `9 openat(AT_FDCWD</>, "${homedir()}", O_RDONLY|O_DIRECTORY) = 3`,
  ])
  expect(seen).toEqual([
    ...(existsSync('/etc/shadow') ? [{ kind: 'read', what: '/etc/shadow', isDenied: true }] : []),
    { kind: 'list', what: homedir(), isDenied: true },
  ])
})

it('follows a process into another folder', () => {
  verifies('L5')
  const seen = accessesOf(() => ['9 chdir("docs") = 0', '9 unlink("a.md") = 0'])
  expect(seen).toEqual([{ kind: 'make', what: 'docs/a.md', isDenied: false }])
})

it('tells keys that are asked for though there are none, and other processes', () => {
  verifies('L5', 'L6')
  const seen = accessesOf(() => [
    `9 openat(AT_FDCWD</>, "/nobody/.ssh/id_rsa", O_RDONLY) = ${missing}`,
    `9 openat(AT_FDCWD</>, "/proc/4242/environ", O_RDONLY) = ${missing}`,
  ])
  expect(seen).toEqual([
    { kind: 'read', what: '/nobody/.ssh/id_rsa', isDenied: true },
    { kind: 'read', what: '/proc/4242/environ', isDenied: true },
  ])
})

it('tells programs where starting one needs a grant', () => {
  verifies('L5')
  const started = () => [
    `9 execve("/nowhere/sh", ["sh"], 0x7f /* 3 vars */) = ${missing}`,
    `10 execve("/bin/sh", ["sh"], 0x7f /* 3 vars */) = ${missing}`,
    '11 execve("/usr/bin/python3", ["python3"], 0x7f /* 3 vars */) = 0',
  ]
  expect(accessesOf(started)).toEqual([{ kind: 'program', what: '/bin/sh', isDenied: true }])
  expect(accessesOf(started, false)).toEqual([])
})

it('tells connections past the proxy, and the limit on processes', () => {
  verifies('L5')
  const to = (host: string, port: number) =>
    `9 connect(3, {sa_family=AF_INET, sin_port=htons(${port}), sin_addr=inet_addr("${host}")}, 16)`
  const seen = accessesOf(() => [
    `${to('127.0.0.1', 3128)} = 0`,
    `${to('127.0.0.1', 5432)} = -1 ECONNREFUSED (Connection refused)`,
    `${to('203.0.113.7', 25)} = -1 ENETUNREACH (Network is unreachable)`,
    '9 clone(child_stack=NULL) = -1 EAGAIN (Resource temporarily unavailable)',
  ])
  expect(seen).toEqual([
    { kind: 'host', what: '127.0.0.1:5432', isDenied: true },
    { kind: 'host', what: '203.0.113.7:25', isDenied: true, address: '203.0.113.7' },
    { kind: 'limit', what: 'processes', isDenied: true },
  ])
})
