// What the interpreter must know of a language: its names, its modules, what calling them does.
import type { ReadSteps } from './expression.ts'
import type { Findings } from './findings.ts'
import type { Given } from './given.ts'
import { Interpreter } from './interpreter.ts'
import { packageCapabilities } from './packages.ts'
import type { Rule } from './rules.ts'
import { table } from './table.ts'
import type { Value } from './value.ts'

export interface LanguageFacts {
  readonly rules: ReadonlyMap<string, Rule>
  /** Names that are there without an import. */
  readonly globals: ReadonlySet<string>
  /** Names whose value is always the same: the home folder, the arguments of the program. */
  readonly constants: { readonly [name: string]: Value }
  readonly packages: { readonly [name: string]: string }
  /** The name of a module as rules have it; null: a file of the project. */
  moduleName(specifier: string): string | null
  /** The package that a module belongs to; null: it comes with the language. */
  packageOf(module: string): string | null
  canonical(name: string): string
  /** `of.key` where that is more than a name. */
  member(of: Value, key: Value, place: Place): Value | undefined
  /** A call of a method of something that is not known. */
  method(target: Value & { readonly kind: 'method' }, given: Given, findings: Findings): Value | undefined
  read(text: string, path: string): ReadSteps
}

export interface Place {
  readonly findings: Findings
  readonly at: number
}

const maxNames = 5_000

export class Language {
  readonly #facts: LanguageFacts
  readonly #namespaces = new Set<string>()
  /** Code asks for the same few names over and over. */
  readonly #canonical = new Map<string, string>()

  constructor(facts: LanguageFacts) {
    this.#facts = { ...facts, constants: table(facts.constants) }
    for (const name of [...facts.rules.keys(), ...Object.keys(facts.constants)])
      for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1))
        this.#namespaces.add(name.slice(0, dot))
  }

  /** Reads a text and follows it. */
  follow(text: string, findings: Findings, level = 0, path = ''): void {
    const { steps, fault } = this.#facts.read(text, path)
    if (fault) findings.add('code.unknown', fault.at, fault.message, 'unknown')
    new Interpreter(this, findings, level).run(steps)
  }

  moduleName(specifier: string): string | null {
    return this.#facts.moduleName(specifier)
  }

  packageOf(module: string): string | null {
    return this.#facts.packageOf(module)
  }

  canonical(name: string): string {
    let canonical = this.#canonical.get(name)
    if (canonical === undefined) {
      canonical = this.#facts.canonical(name)
      if (this.#canonical.size >= maxNames) this.#canonical.clear()
      this.#canonical.set(name, canonical)
    }
    return canonical
  }

  ruleOf(name: string): Rule | undefined {
    const { rules } = this.#facts
    return rules.get(name) ?? rules.get(`${name.slice(0, name.lastIndexOf('.'))}.*`)
  }

  /** Something that can be touched lies below this name. */
  isNamespace(name: string): boolean {
    return this.#namespaces.has(name)
  }

  global(name: string): Value | undefined {
    return this.#facts.constants[name] ?? (this.#facts.globals.has(name) ? { kind: 'api', name } : undefined)
  }

  member(of: Value, key: Value, place: Place): Value | undefined {
    return this.#facts.member(of, key, place)
  }

  constant(name: string): Value | undefined {
    return this.#facts.constants[name]
  }

  method(target: Value & { readonly kind: 'method' }, given: Given, findings: Findings): Value | undefined {
    return this.#facts.method(target, given, findings)
  }

  /** What importing a package alone tells, where no call of it told more. */
  packageFindings(packages: ReadonlyMap<string, number>, findings: Findings): void {
    for (const [name, at] of packages) {
      const told = packageCapabilities(name, this.#facts.packages)
      if (told === undefined) findings.add('code.unknown', at, name, 'unknown')
      for (const { capability, scope } of told ?? [])
        if (!findings.has(capability))
          findings.add(capability, at, scope, scope === undefined ? 'unknown' : 'bounded')
    }
  }
}
