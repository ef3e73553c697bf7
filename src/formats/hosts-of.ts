// The host that an address leads to, as a grant names it.

/** With its port where the address says one; empty for an address that is filled in at the call. */
export function hostsOf(address: string): string[] {
  if (/[{$]/.test(address) || !URL.canParse(address)) return []
  const { host, protocol } = new URL(address)
  return protocol === 'http:' || protocol === 'https:' ? [host] : []
}
