// What every fenced process sees of the host: programs, libraries and a few harmless files of /etc. The rest
// of the root, the home folder and the host's /proc, /sys, /run and /var are simply not there.
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { realPath } from '../paths.ts'

/** Each costs a mount, so only what programs really ask for. Links among them are made anew, which is cheaper. */
const etc = [
  'alternatives',
  'crypto-policies',
  'fonts',
  'group',
  'hosts',
  'ld.so.cache',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'pki',
  'services',
  'ssl',
]

/** Below /usr, without the folders that hold programs. */
const libraries = ['lib', 'lib32', 'lib64', 'libx32', 'share', 'local/lib', 'local/share']

const stores = ['/nix/store', '/gnu/store']

/** Mount arguments for the host's part of the root; `programs` false leaves the folders of programs out. */
export function hostRoot(programs: boolean): string[] {
  const args: string[] = []
  if (programs) args.push('--ro-bind', '/usr', '/usr')
  else for (const name of libraries) args.push(...readOnly(`/usr/${name}`))
  for (const name of ['lib', 'lib32', 'lib64', 'libx32']) args.push(...linkOrBind(`/${name}`))
  for (const name of ['bin', 'sbin']) if (programs || isLink(`/${name}`)) args.push(...linkOrBind(`/${name}`))
  for (const name of etc) args.push(...linkOrBind(`/etc/${name}`))
  for (const store of stores) args.push(...readOnly(store))
  return args
}

/** Folders that `hostRoot` already shows. */
export function isInHostRoot(path: string, programs: boolean): boolean {
  const shown = programs
    ? ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
    : libraries.map((name) => `/usr/${name}`)
  const always = [...stores, ...etc.map((name) => `/etc/${name}`)]
  return [...shown, ...always].some((folder) => path.startsWith(`${folder}/`))
}

function readOnly(path: string): string[] {
  return existsSync(path) ? ['--ro-bind', path, path] : []
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** On merged-usr systems /bin is a link to usr/bin, /etc/localtime one to a zone; elsewhere they stand for themselves. */
function linkOrBind(path: string): string[] {
  if (isLink(path) && realPath(path).startsWith('/usr/')) return ['--symlink', readlinkSync(path), path]
  return readOnly(path)
}
