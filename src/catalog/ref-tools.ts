// Tools that only a ref in a skill makes: inline code, and files that are no skill of their own.
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isReallyInside } from '../files/real-path.ts'
import { formOf } from '../formats/skill/find-skills.ts'
import { readInline } from '../formats/skill/inline.ts'
import { readSkill } from '../formats/skill/read-skill.ts'
import { skillOf } from '../formats/skill/settings.ts'
import { sha256 } from '../tool/json.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'

export const codeFile = /\.(js|mjs|ts)$/

export class RefTools {
  readonly #inline = new Map<string, Tool>()
  readonly #files = new Map<string, { readonly stamp: string; readonly tool: Tool }>()

  /** The code of an `inline://` ref as a tool of the skill that holds it. */
  inline(ref: string, declaredBy: Tool): Tool {
    const key = `${declaredBy.source.file ?? declaredBy.id}\n${declaredBy.source.digest}\n${ref}`
    const tool = this.#inline.get(key) ?? readInline(ref, declaredBy)
    this.#inline.set(key, tool)
    return tool
  }

  /** A file that is no skill of its own, such as `./lib/handler.js`, as a tool of the skill that names it. */
  file(file: string, declaredBy: Tool): Tool {
    const stat = statSync(file)
    const stamp = `${stat.mtimeMs}:${stat.size}:${stat.ino}`
    const key = `${declaredBy.id}\n${file}`
    const known = this.#files.get(key)
    if (known?.stamp === stamp) return known.tool
    const tool = readFileTool(file, declaredBy)
    this.#files.set(key, { stamp, tool })
    return tool
  }
}

function readFileTool(file: string, declaredBy: Tool): Tool {
  const text = readFileSync(file, 'utf8')
  const facts = skillOf(declaredBy)?.skill
  const { tool, problems } = readSkill({
    file,
    text,
    digest: sha256(text),
    tier: declaredBy.tier,
    facts: {
      form: formOf(file),
      entry: facts?.entry ?? 0,
      entryDir: facts?.entryDir ?? dirname(file),
      isExternal: facts?.isExternal ?? false,
    },
    fallbackName: basename(file).replace(/\.[^.]+$/, ''),
  })
  if (!tool) throw new ToolError('TOOL_INVALID', `${file}: ${problems[0]?.message ?? 'cannot be read'}`)
  const isOwn =
    codeFile.test(file) &&
    !/\.skill\.(js|mjs|ts)$/.test(file) &&
    declaredBy.source.file !== null &&
    isReallyInside(file, dirname(declaredBy.source.file))
  return {
    ...tool,
    hidden: true,
    ...(isOwn ? { details: { ...tool.details, ownCodeOf: declaredBy.id } } : {}),
  }
}
