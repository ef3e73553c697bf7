// Whether a Python text can touch anything at all, judged by its words: most small tools only compute, and the full
// grammar takes far longer than this. In doubt the answer is yes.

/** Names by which code reaches the machine, other modules or itself. */
const doors =
  /\b(?:open|eval|exec|execfile|(?<!\bre\.)compile|getattr|globals|locals|vars|input|raw_input|breakpoint|modules|FileHandler|_*(?:os|sys|io|posix|nt|codecs|builtins|subprocess|shutil|socket|importlib|ctypes|pathlib|tempfile))\b|\.(?:read_text|read_bytes|write_text|write_bytes|iterdir|rglob|unlink|touch)\b/
/** Modules that only compute. */
const computing = new Set(
  '__future__ abc argparse bisect calendar cmath collections colorsys copy csv dataclasses datetime decimal difflib enum fractions functools hashlib heapq html itertools json math numbers operator random re secrets statistics string textwrap time typing unicodedata uuid'.split(
    ' ',
  ),
)
/** Names of this form that say something about the module. */
const descriptive =
  /__(?:version|tool_type|executor_id|category|tool_description|requires|name|main|init|future|doc|all|author|str|repr|len|eq|hash|lt|tags|timeout|returns|examples)__/g
const imports = /^[ \t]*(?:from[ \t]+(\w+)(?:\.\w+)*[ \t]+import\b|import[ \t]+([\w., \t]+))/gm

export function mayTouch(text: string): boolean {
  if (doors.test(text) || text.replace(descriptive, '').includes('__')) return true
  let understood = 0
  for (const [, from, list] of text.matchAll(imports)) {
    understood++
    for (const part of (from ?? list ?? '').split(','))
      if (!computing.has(part.trim().split(/[.\s]/)[0]!)) return true
  }
  return (text.match(/\bimport\b/g)?.length ?? 0) !== understood
}
