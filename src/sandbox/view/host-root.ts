// What every fenced process sees of the host: programs, libraries and a few harmless files of /etc. The rest
// of the root, the home folder and the host's /proc, /sys, /run and /var are simply not there.
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import type { ViewStep } from './view-step.ts'

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

/** The host's part of the root; `programs` false leaves the folders of programs out. */
export function hostRoot(programs: boolean): ViewStep[] {
  return [
    ...(programs ? ['/usr'] : libraries.map((name) => `/usr/${name}`)).flatMap(shown),
    ...['lib', 'lib32', 'lib64', 'libx32'].flatMap((name) => linkOrShown(`/${name}`)),
    ...['bin', 'sbin'].flatMap((name) => (programs || isLink(`/${name}`) ? linkOrShown(`/${name}`) : [])),
    ...etc.flatMap((name) => linkOrShown(`/etc/${name}`)),
    ...stores.flatMap(shown),
  ]
}

/** Folders that `hostRoot` already shows. */
export function isInHostRoot(path: string, programs: boolean): boolean {
  const folders = programs
    ? ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
    : libraries.map((name) => `/usr/${name}`)
  const always = [...stores, ...etc.map((name) => `/etc/${name}`)]
  return [...folders, ...always].some((folder) => isInside(path, folder))
}

function shown(path: string): ViewStep[] {
  return existsSync(path)
    ? [{ kind: 'bind', source: nearestRealPath(path), target: path, isWritable: false }]
    : []
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** On merged-usr systems /bin is a link to usr/bin, /etc/localtime one to a zone; elsewhere they stand for themselves. */
function linkOrShown(path: string): ViewStep[] {
  if (isLink(path) && isInside(nearestRealPath(path), '/usr'))
    return [{ kind: 'link', to: readlinkSync(path), target: path }]
  return shown(path)
}
