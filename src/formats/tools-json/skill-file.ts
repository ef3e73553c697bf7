// SKILL.md as far as this format needs it: description and gate. A gate that cannot be understood fails closed.

import type { Problem, Severity } from '../../tool/problem.ts'
import { hintFor } from '../../tool/problem-hints.ts'
import { messageOf } from '../../tool/tool-error.ts'
import { readBinsGate } from '../bins-gate.ts'
import type { SourceFile } from '../format.ts'
import { type Frontmatter, readFrontmatter } from '../frontmatter.ts'

export interface SkillFile {
  readonly description: string
  readonly needsBins: readonly (readonly string[])[] | null
  /** Why the skill is out of service. */
  readonly fault: string | null
  readonly problems: readonly Problem[]
}

const idShape = /^[a-z0-9-]{1,64}$/

/** Reads it; `hasTools` false leaves all but the gate to the skill format, which owns such folders. */
export function readSkillFile(
  id: string,
  file: string,
  read: () => SourceFile,
  hasTools: boolean,
): SkillFile {
  let text: string
  try {
    text = read().text
  } catch (error) {
    const message = `SKILL.md of ${id} cannot be read: ${messageOf(error)}`
    return {
      description: '',
      needsBins: null,
      fault: 'its SKILL.md cannot be read',
      problems: [
        {
          code: 'skill-unreadable',
          severity: 'error',
          message,
          hint: hintFor('skill-unreadable'),
          file,
          line: 1,
          column: 1,
          skill: id,
        },
      ],
    }
  }
  return new Reading(id, file, readFrontmatter(text), hasTools).result()
}

class Reading {
  readonly #id: string
  readonly #file: string
  readonly #front: Frontmatter
  readonly #hasTools: boolean
  readonly #problems: Problem[] = []
  #fault: string | null = null

  constructor(id: string, file: string, front: Frontmatter, hasTools: boolean) {
    this.#id = id
    this.#file = file
    this.#front = front
    this.#hasTools = hasTools
  }

  result(): SkillFile {
    const front = this.#front
    if (!front.isPresent)
      this.#add(
        'warning',
        'skill-frontmatter-missing',
        'SKILL.md has no frontmatter, so the skill has no description and no gate',
        { place: { line: 1, column: 1 }, hint: 'Begin it with a --- block that gives name and description.' },
      )
    for (const fault of front.faults) this.#break(fault.message, fault)
    // A gate is only believed in a block that is read as it stands.
    for (const { key, ...place } of front.repaired)
      this.#break(`the value of ${key} must be in quotes`, place)
    const name = this.#text('name')
    this.#checkName(name)
    const description = this.#text('description') ?? ''
    const needsBins = this.#gate()
    return { description, needsBins, fault: this.#fault, problems: this.#problems }
  }

  #checkName(name: string | undefined): void {
    const hint = 'Name the folder as the skill is named: a-z, 0-9 and hyphens, at most 64.'
    if (!idShape.test(this.#id))
      this.#add(
        'warning',
        'skill-name-mismatch',
        `the folder name ${JSON.stringify(this.#id)} is no proper skill id`,
        { place: { line: 1, column: 1 }, hint },
      )
    else if (name !== undefined && name !== this.#id)
      this.#add(
        'warning',
        'skill-name-mismatch',
        `the skill is named ${JSON.stringify(name)} but lies in the folder ${JSON.stringify(this.#id)}, which is its id`,
        { place: this.#front.positionOf(['name']), hint },
      )
  }

  #text(key: 'name' | 'description'): string | undefined {
    const value = this.#front.data[key]
    if (typeof value === 'string') return value
    if (value !== undefined && value !== null)
      this.#add('warning', 'skill-frontmatter-invalid', `${key} must be text; it counts as absent`, {
        place: this.#front.positionOf([key]),
        hint: `Write ${key} as text, in quotes if need be.`,
      })
    return undefined
  }

  #gate(): readonly (readonly string[])[] | null {
    const gate = readBinsGate(this.#front.data['metadata'])
    if ('needsBins' in gate) return gate.needsBins
    this.#break(gate.fault, this.#front.positionOf(gate.path), true)
    return null
  }

  #break(message: string, place: { line: number; column: number }, isGate = false): void {
    this.#fault = `the frontmatter of its SKILL.md is broken: ${message}`
    const hint =
      'Fix it; until then the skill stays out of service, because its requirements cannot be known.'
    if (this.#hasTools || isGate)
      this.#problems.push({
        code: 'skill-frontmatter-invalid',
        severity: this.#hasTools ? 'error' : 'warning',
        message: `${message}.`,
        hint,
        file: this.#file,
        ...place,
        skill: this.#id,
      })
  }

  #add(
    severity: Severity,
    code: string,
    message: string,
    { place, hint }: { readonly place: { line: number; column: number }; readonly hint?: string },
  ): void {
    if (!this.#hasTools) return
    this.#problems.push({
      code,
      severity,
      message: `${message}.`,
      hint: hint ?? hintFor(code),
      file: this.#file,
      line: place.line,
      column: place.column,
      skill: this.#id,
    })
  }
}
