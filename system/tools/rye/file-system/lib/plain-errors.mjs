// Turns what the file system refuses into a sentence, so that a caller reads a reason and no stack trace.
const reasons = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a folder',
  EISDIR: 'is a folder, not a file',
  EACCES: 'may not be opened by this tool',
  EPERM: 'may not be changed by this tool',
  EROFS: 'is read-only for this tool; it may need the capability fs.write',
  ELOOP: 'is a link that leads in a circle',
  ENAMETOOLONG: 'has a name that is too long',
  ENOSPC: 'could not be written: the disk is full',
}

/** The tool's function with its refusals as results. */
export function withPlainErrors(run) {
  return function main(params, project) {
    try {
      return run(params, project)
    } catch (error) {
      const reason = reasons[error.code]
      if (reason) return { success: false, error: `${params.path ?? '.'} ${reason}` }
      if (error.code === undefined) return { success: false, error: error.message }
      throw error
    }
  }
}
