// Variables of the environment that say nothing of what a tool wants: every process has them, or the crib gives them.

const base =
  /^(?:PATH|HOME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|PWD|OLDPWD|USER|LOGNAME|SHELL|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CI)$/
/** What the runtimes of the crib give: parameters and facts of the call. */
const given = /^(?:PARAM_|RYE_|TOOLCRIB_)/

export function isBaseVariable(name: string): boolean {
  return base.test(name) || given.test(name)
}
