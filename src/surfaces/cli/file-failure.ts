// A folder or disk that refuses us is no defect of this program: it is told with the path and what to do.
import type { ToolErrorData } from '../../tool/tool-error.ts'

const reasons: { readonly [code: string]: readonly [string, string] } = {
  EACCES: ['permission is denied', 'Give this user the right to it, or use another folder.'],
  EPERM: ['permission is denied', 'Give this user the right to it, or use another folder.'],
  EROFS: ['the file system is read-only', 'Use a folder that can be written.'],
  ENOTDIR: ['a part of the path is no folder', 'Use another folder; HOME decides where what is yours lies.'],
  ENOSPC: ['there is no space left', 'Free some space and try again.'],
  EDQUOT: ['the disk quota is used up', 'Free some space and try again.'],
}

/** What the file system refused; undefined for any other error. */
export function fileFailure(error: unknown): ToolErrorData | undefined {
  const { code, path, message, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (syscall === 'uv_cwd')
    return {
      code: 'STORE_UNAVAILABLE',
      message: `The folder this was started in cannot be used: it is gone or may not be entered (${code}).`,
      hint: 'Go to another folder and try again.',
      retryable: false,
    }
  const reason = code === undefined ? undefined : reasons[code]
  if (!reason) return undefined
  return {
    code: 'STORE_UNAVAILABLE',
    message: `${path ?? message} cannot be used: ${reason[0]} (${code}).`,
    hint: reason[1],
    retryable: false,
  }
}
