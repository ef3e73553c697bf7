// Names with a fixed meaning in a skill's metadata.

/** The guards, in the order of the standard pipeline; their keys are settings, never middleware. */
export const guardNames: readonly string[] = [
  'trace',
  'trust',
  'grants',
  'allowed-tools',
  'params',
  'config',
  'secrets',
  'approve',
  'limits',
  'retry',
  'returns',
  'delegate',
  'execute',
  'agent',
]

/** Keys that belong to the level that sets them unless `$public` passes them on. */
export const privateKeys: readonly string[] = ['params', 'returns', 'delegate']

/** Keys that never pass to inheritors. */
export const ownKeys: readonly string[] = ['role', 'tags', 'visibility']

/** Keys that say what the skill is: lifted into its frontmatter, never interpolated. */
export const liftedKeys: readonly string[] = ['role', 'params', 'returns', 'visibility', 'tags']

/** Keys that are settings and never trigger a tool. */
export const dataKeys: ReadonlySet<string> = new Set([
  ...guardNames,
  ...privateKeys,
  ...ownKeys,
  'model',
  'paths',
  'mcp',
])

export const annotations: ReadonlySet<string> = new Set([
  '$inherit',
  '$private',
  '$public',
  '$local',
  '$global',
  '$dynamic',
  '$static',
  '$merge',
  '$order',
  '$remove',
  '$self',
  '$hook',
])

/** Places and guards in the order a call passes them. */
export const standardPipeline: readonly string[] = [
  '$start',
  'trace',
  '$pre-configure',
  'trust',
  'grants',
  'allowed-tools',
  '$configure',
  'params',
  'config',
  'secrets',
  '$post-configure',
  '$pre-execute',
  'approve',
  'limits',
  'retry',
  'returns',
  '$execute',
  'delegate',
  'execute',
  'agent',
  '$post-execute',
]
