// Whether the user accepted what a folder's own toolcrib.yaml asks for beyond the defaults (G2).

export interface FolderQuestion {
  readonly env: NodeJS.ProcessEnv
  /** The flag `--trust-folder`. */
  readonly trustFolder?: boolean | undefined
}

export function isFolderAccepted({ env, trustFolder }: FolderQuestion): boolean {
  return trustFolder === true || env['TOOLCRIB_TRUST_FOLDER'] === '1'
}
