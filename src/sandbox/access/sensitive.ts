// What is never proposed by itself: keys, passwords, the user's own files, the addresses where clouds hand out their
// keys. A person who wants it says so.
import { isInside } from '../../files/is-inside.ts'
import { inRange, parseAddress, parseRange } from '../addresses.ts'

const secretFolder =
  /(^|\/)\.(ssh|aws|azure|gnupg|kube|docker|gcloud|password-store|mozilla|config\/gcloud)(\/|$)/
const secretFile =
  /(^|\/)(\.env(\.(?!example$|sample$|template$)[^/]*)?|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.pgpass|id_(rsa|dsa|ecdsa|ed25519)|credentials(\.json)?|[^/]*\.(pem|key|p12|pfx|kdbx|keystore|jks)|(?<=\/etc\/)(g?shadow|sudoers)|(?<=\/etc\/ssh\/)ssh_host_\w+_key)$/i

const inHome = 'it is in your home folder'

/** Why a path is not proposed; undefined when it may be. */
export function whySensitivePath(path: string, home?: string): string | undefined {
  if (/^\/proc\/\d+(\/|$)/.test(path)) return 'it is about another process'
  if (secretFolder.test(path) || secretFile.test(path)) return 'it holds keys or passwords'
  if (path === home) return 'it is your home folder'
  return home !== undefined && isInside(path, home) ? inHome : undefined
}

/** True for a name that says what it holds, wherever it lies. */
export function isSensitivePath(path: string): boolean {
  return whySensitivePath(path) !== undefined
}

const linkLocal = ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254', '100.100.100.200']

/** Why a host is not proposed; undefined when it may be. */
export function whySensitiveHost(host: string): string | undefined {
  const bare = host.replace(/^\[|\]$/g, '')
  const address = parseAddress(bare)
  const isMetadata =
    (address && linkLocal.some((text) => inRange(address, parseRange(text)!))) ||
    /^(metadata(\.google\.internal|\.goog)?|instance-data(\.ec2\.internal)?)\.?$/i.test(bare)
  return isMetadata ? 'there a cloud hands out the keys of this machine' : undefined
}
