// The commands as `toolcrib --help` shows them: by what one wants to do (D20).

const groups: { readonly [title: string]: readonly string[] } = {
  'Use tools:': ['list', 'show', 'run', 'read', 'agent', 'why', 'undo'],
  'Add and write tools:': ['add', 'new', 'convert', 'check', 'test', 'types', 'schema'],
  'Connect and serve:': ['connect', 'disconnect', 'serve', 'mcp', 'export', 'login', 'logout', 'tokens'],
  'Trust and rights:': [
    'trust',
    'untrust',
    'sign',
    'verify',
    'keys',
    'lock',
    'diff',
    'approve',
    'learn',
    'grants',
    'secrets',
  ],
  'Automate:': ['crumbs', 'schedules', 'subscriptions', 'requests'],
  'Look after it:': ['runs', 'halt', 'resume', 'doctor', 'config', 'store', 'completion'],
}

export const groupTitles: readonly string[] = Object.keys(groups)

/** The heading a command stands under; undefined for one that nobody sorted. */
export function groupOf(command: string): string | undefined {
  return groupTitles.find((title) => groups[title]!.includes(command))
}
