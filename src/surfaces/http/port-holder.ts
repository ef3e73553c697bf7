// Who holds a port, where the system tells (Linux): the process that owns the listening socket.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** `node (pid 4711)`, or undefined when it cannot be found out. */
export function portHolder(port: number): string | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const inodes = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningInodes(table, hex))
  if (inodes.length === 0) return undefined
  const wanted = new Set(inodes.map((inode) => `socket:[${inode}]`))
  for (const pid of entriesOf('/proc').filter((name) => /^\d+$/.test(name))) {
    if (entriesOf(`/proc/${pid}/fd`).some((fd) => wanted.has(linkOf(`/proc/${pid}/fd/${fd}`))))
      return `${textOf(`/proc/${pid}/comm`).trim() || 'a process'} (pid ${pid})`
  }
  return undefined
}

function listeningInodes(table: string, hexPort: string): string[] {
  return textOf(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(`:${hexPort}`) && fields[3] === '0A')
    .map((fields) => fields[9]!)
}

function entriesOf(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file)
  } catch {
    return ''
  }
}
