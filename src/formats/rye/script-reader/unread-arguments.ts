// Scripts whose arguments are read elsewhere: by a library that has no reader here, or by a module of their own.

const libraries: ReadonlySet<string> = new Set(
  [
    'meow minimist arg cac optimist nopt command-line-args argparse sade mri getopts jackspeak clipanion cmd-ts',
    'citty gunshi dashdash cleye vorpal yargs-parser caporal @caporal/core @oclif/core oclif clime',
    'fire absl plac cleo clize cyclopts tyro defopt configargparse jsonargparse tap plumbum cliff invoke argh',
  ]
    .join(' ')
    .split(' '),
)

/** A sentence for the first such library or module; undefined: none is imported. */
export function unreadArguments(packages: readonly string[], text: string): string | undefined {
  const library = packages.find((name) => libraries.has(name))
  if (library) return `Its options are read by ${library}, which only running it tells.`
  const own =
    /(?:\bfrom\s*|\brequire\(\s*|\bimport\(?\s*)['"](\.{1,2}\/[^'"]+)['"]/.exec(text)?.[1] ??
    /^from[ \t]+(\.[\w.]*|[\w.]+)[ \t]+import[ \t]+(?:\w+[ \t]*,[ \t]*)*(?:main|cli|app|run)[ \t]*$/m.exec(
      text,
    )?.[1]
  return own && `Its arguments may be read by ${own}, which it imports.`
}
