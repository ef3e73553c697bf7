// What the tool-code format hands to the Deno runtime: the code and the rights it declares, in one spelling
// whatever the era of the document.

/** `true`: any public address; a list: those hosts; `false`: none. */
export type NetworkPermission = boolean | readonly string[]

export interface BreadcrumbPermission {
  /** Schema names, `prefix.*` or `*`. */
  readonly read: readonly string[]
  readonly write: readonly string[]
}

export interface ToolCodePermissions {
  readonly network: NetworkPermission
  /** null: no access to the store. */
  readonly breadcrumbs: BreadcrumbPermission | null
  /** Names or `prefix.*` of tools that `api.callTool` may call. */
  readonly tools: readonly string[]
  /** Prefixes of specifiers that may be imported besides `node:` built-ins. */
  readonly imports: readonly string[]
}

export type Isolation = 'worker' | 'call'

export interface ToolCodePlan {
  readonly language: 'typescript' | 'javascript'
  readonly source: string
  readonly permissions: ToolCodePermissions
  readonly isolation: Isolation
  readonly requiredSecrets: readonly string[]
}

export const noPermissions: ToolCodePermissions = {
  network: false,
  breadcrumbs: null,
  tools: [],
  imports: [],
}
