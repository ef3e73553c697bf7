// Which skills somebody vouches for, asked at most once a second per tool, and that what the host imports of them is
// what was vouched for.

import { existsSync, readFileSync } from 'node:fs'
import { importedFiles } from '../../formats/imported-files.ts'
import { sha256 } from '../../tool/json.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { RuntimeEnv } from '../runtime.ts'

const askEveryMs = 1_000

export class VouchedCode {
  readonly #env: RuntimeEnv
  readonly #known = new WeakMap<Tool, { readonly holds: boolean; readonly at: number }>()

  constructor(env: RuntimeEnv) {
    this.#env = env
  }

  holds(tool: Tool): boolean {
    const known = this.#known.get(tool)
    const now = performance.now()
    if (known && now - known.at < askEveryMs) return known.holds
    const holds = this.#ask(tool)
    this.#known.set(tool, { holds, at: now })
    return holds
  }

  /** Throws for bytes that differ from those that were judged; a later look at the file may have found others. */
  verifier(tool: Tool): (file: string, bytes: Uint8Array) => void {
    const { verifyFile, config } = this.#env
    const seal = config.skills.host === 'vouched' ? this.#env.sealOf?.(tool) : undefined
    return (file, bytes) => {
      verifyFile?.(file, bytes)
      const expected = seal?.files[file]
      if (expected === undefined || expected === sha256(bytes)) return
      throw new ToolError('TRUST_TAMPERED', `${tool.id} did not run: ${file} is not what was vouched for.`, {
        hint: `See \`toolcrib verify ${tool.id}\` and \`toolcrib diff ${tool.id}\`.`,
      })
    }
  }

  /** Throws where code of the tool is no longer what was judged, as its import would. */
  demand(tool: Tool): void {
    const file = planOf(tool, 'skill')?.file
    if (!file || !existsSync(file)) return
    const verify = this.verifier(tool)
    for (const one of [file, ...importedFiles(file, this.#env.spaces.project)]) verify(one, readFileSync(one))
  }

  /** Inline code is a part of the file it stands in. */
  #ask(tool: Tool): boolean {
    const { isVouched, view } = this.#env
    if (!isVouched) return false
    const owner = tool.details?.ownCodeOf
    const isInline = planOf(tool, 'skill')?.code !== undefined
    const declared = isInline && owner !== undefined && view?.tools.find(({ id }) => id === owner)
    return isVouched(declared || tool)
  }
}
