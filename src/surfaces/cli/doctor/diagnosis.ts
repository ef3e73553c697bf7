// One line of `toolcrib doctor`.
export interface Diagnosis {
  readonly name: string
  readonly ok: boolean
  /** False: Toolcrib works without it. */
  readonly needed: boolean
  readonly version?: string
  readonly detail: string
  /** The one command that fixes it. */
  readonly fix?: string
}
