// Follows code without running it: names, texts and functions are looked up as far as reading tells them, and each
// call of something that touches the world is a finding. One pass, with a limit on how much work a text may make.

import { applyRule } from './apply-rule.ts'
import { type CallExpression, type Expression, type FunctionBody, placeOf, type Step } from './expression.ts'
import type { Findings } from './findings.ts'
import { type Given, noNames } from './given.ts'
import type { Language } from './language.ts'
import { joinedPath, methodResult, reversed } from './pure-methods.ts'
import {
  anyOf,
  eachOf,
  exact,
  given,
  indexOf,
  isExact,
  joined,
  madeOf,
  maxChoices,
  originOf,
  Scope,
  type TextValue,
  textOf,
  unknown,
  type Value,
} from './value.ts'

const maxWork = 60_000
const maxDepth = 6
/** A function that calls itself several times over would be followed ever so often. */
const maxInside = 2
/** Methods of a function that call it. */
const callings = /\.(call|apply|bind|__call__)$/

export class Interpreter {
  readonly language: Language
  readonly findings: Findings
  /** Levels of code inside texts of code. */
  readonly level: number
  readonly #known = new Set<FunctionBody>()
  readonly #functions: { readonly body: FunctionBody; readonly scope: Scope }[] = []
  readonly #run = new Set<FunctionBody>()
  /** How often a function is being followed just now. */
  readonly #active = new Map<FunctionBody, number>()
  readonly #blindResults = new Map<FunctionBody, Value>()
  readonly #packages = new Map<string, number>()
  #work = maxWork
  #depth = 0

  constructor(language: Language, findings: Findings, level = 0) {
    this.language = language
    this.findings = findings
    this.level = level
  }

  /** Follows the whole text; functions that nothing in it calls are followed with arguments that are not known. */
  run(steps: readonly Step[]): void {
    const scope = new Scope()
    this.#steps(steps, scope)
    for (let i = 0; i < this.#functions.length; i++) {
      const { body, scope: around } = this.#functions[i]!
      if (!this.#run.has(body)) this.#inline(body, around, [])
    }
    if (this.#work <= 0) this.findings.add('code.unknown', 0, 'too long to be followed', 'unknown')
    this.language.packageFindings(this.#packages, this.findings)
  }

  #steps(steps: readonly Step[], scope: Scope): Value[] {
    const results: Value[] = []
    for (const step of steps) if (step.kind === 'define') scope.bind(step.name, this.#made(step.body, scope))
    for (const step of steps) {
      const result = this.#step(step, scope)
      if (result) results.push(result)
    }
    return results
  }

  #step(step: Step, scope: Scope): Value | undefined {
    switch (step.kind) {
      case 'bind': {
        const value = this.evaluate(step.value, scope)
        if (!step.isMore) scope.bind(step.name, value)
        else scope.assign(step.name, this.#more(scope.find(step.name), value))
        return undefined
      }
      case 'assign':
        scope.assign(step.name, this.evaluate(step.value, scope))
        return undefined
      case 'take': {
        const from = this.evaluate(step.from, scope)
        for (const [key, name] of step.names)
          scope.bind(
            name,
            this.member(from, typeof key === 'number' ? { kind: 'number', value: key } : exact(key), step.at),
          )
        return undefined
      }
      case 'iterate': {
        const items = this.evaluate(step.of, scope)
        this.#escape(items, placeOf(step.of))
        const value = items.kind === 'list' ? anyOf(items.items) : madeOf([items])
        for (const [index, name] of step.names.entries())
          scope.bind(name, step.names.length === 1 ? value : this.#itemOf(value, index))
        return undefined
      }
      case 'set':
        this.#set(step.target, this.evaluate(step.value, scope), scope)
        return undefined
      case 'do':
        this.evaluate(step.value, scope)
        return undefined
      case 'return':
        return this.evaluate(step.value, scope)
      case 'import':
        return this.#import(step, scope)
      default:
        return undefined
    }
  }

  #itemOf(value: Value, index: number): Value {
    return anyOf(
      eachOf(value).map((one) => (one.kind === 'list' ? (one.items[index] ?? unknown) : madeOf([one]))),
    )
  }

  #more(before: Value | undefined, value: Value): Value {
    if (before?.kind === 'list')
      return { kind: 'list', items: [...before.items, ...(value.kind === 'list' ? value.items : [value])] }
    if (before?.kind === 'number' && value.kind === 'number')
      return { kind: 'number', value: before.value + value.value }
    return joined([textOf(before), textOf(value)])
  }

  #import({ module, part, name, at }: Step & { kind: 'import' }, scope: Scope): undefined {
    const known = this.language.moduleName(module)
    if (known === null) {
      scope.bind(name, unknown)
      return
    }
    this.notePackage(known, at)
    const value: Value = { kind: 'api', name: known }
    scope.bind(name, part === null ? value : this.member(value, exact(part), at))
  }

  /** Importing a package tells something by itself. */
  notePackage(module: string, at: number): void {
    const name = this.language.packageOf(module)
    if (name !== null) this.#packages.set(name, Math.min(at, this.#packages.get(name) ?? at))
  }

  #set(target: Expression, value: Value, scope: Scope): void {
    if (target.kind !== 'member') return
    const key = this.evaluate(target.key, scope)
    if (target.of.kind === 'name' && isExact(key)) scope.root.bind(`${target.of.name}.${key.text}`, value)
    else this.evaluate(target.of, scope)
    this.#escape(value, target.at)
  }

  evaluate(expression: Expression, scope: Scope): Value {
    if (--this.#work <= 0) return unknown
    switch (expression.kind) {
      case 'text':
        return exact(expression.text)
      case 'number':
        return expression
      case 'join':
        return this.#joinAll(expression, scope)
      case 'list':
        return { kind: 'list', items: expression.items.map((item) => this.evaluate(item, scope)) }
      case 'object':
        return {
          kind: 'object',
          entries: new Map(expression.entries.map(([key, value]) => [key, this.evaluate(value, scope)])),
        }
      case 'name':
        return scope.find(expression.name) ?? this.language.global(expression.name) ?? unknown
      case 'member':
        return this.#memberExpression(expression, scope)
      case 'call':
        return this.#call(expression, scope)
      case 'choice':
        return anyOf(expression.of.map((one) => this.evaluate(one, scope)))
      case 'reversed':
        return reversed(this.evaluate(expression.of, scope))
      case 'each':
        return this.#each(expression, scope)
      case 'function':
        return this.#made(expression.body, scope)
      case 'made':
        return madeOf(
          expression.of.map((one) => {
            const value = this.evaluate(one, scope)
            this.#escape(value, placeOf(one))
            return value
          }),
        )
    }
  }

  #memberExpression({ of, key, at }: Expression & { kind: 'member' }, scope: Scope): Value {
    const name = this.evaluate(key, scope)
    if (of.kind === 'name' && isExact(name)) {
      const own = scope.find(`${of.name}.${name.text}`)
      if (own) return own
    }
    return this.member(this.evaluate(of, scope), name, at)
  }

  /** `of.key` */
  member(of: Value, key: Value, at: number): Value {
    if (of.kind === 'any') return anyOf(of.of.map((one) => this.member(one, key, at)))
    if (of.kind === 'list') {
      const index = indexOf(key)
      if (index !== undefined) return of.items.at(index) ?? unknown
      if (isExact(key)) return { kind: 'method', name: key.text, of }
      return anyOf(of.items)
    }
    if (of.kind === 'object') {
      if (isExact(key)) return of.entries.get(key.text) ?? { kind: 'method', name: key.text, of }
      return anyOf([...of.entries.values()])
    }
    const special = this.language.member(of, key, { findings: this.findings, at })
    if (special) return special
    if (of.kind === 'api') return this.#apiMember(of, key, at)
    if (of.kind === 'text' && of.certainty === 'exact' && key.kind === 'number')
      return exact(of.text.at(key.value) ?? '')
    return isExact(key) ? { kind: 'method', name: key.text, of } : madeOf([of])
  }

  #apiMember(of: Value & { kind: 'api' }, key: Value, at: number): Value {
    if (isExact(key))
      return { kind: 'api', name: this.language.canonical(`${of.name}.${key.text}`), of: of.of }
    if (key.kind === 'any') return anyOf(key.of.map((one) => this.member(of, one, at)))
    if (this.language.isNamespace(of.name))
      this.findings.add('code.dynamic', at, 'computed', textOf(key).certainty)
    return madeOf([of])
  }

  #call(expression: CallExpression, scope: Scope): Value {
    const { callee, at } = expression
    const target = this.evaluate(callee, scope)
    const args = expression.args.map((arg) => this.evaluate(arg, scope))
    const named =
      expression.named.length === 0
        ? noNames
        : new Map(expression.named.map(([name, value]) => [name, this.evaluate(value, scope)]))
    return anyOf(eachOf(target).map((one) => this.call(one, { args, named, at })))
  }

  call(target: Value, given: Given): Value {
    if (--this.#work <= 0) return unknown
    const { args, at } = given
    if (target.kind === 'function') return this.#inline(target.body, target.scope, args)
    if (target.kind === 'api') return this.#callApi(target, given)
    if (target.kind === 'method') {
      const found = this.language.method(target, given, this.findings)
      if (found) return found
      const result = this.#methodCall(target, args, at)
      this.#callBack(args, madeOf([target.of]), at)
      return result
    }
    for (const arg of [...args, ...given.named.values()]) this.#escape(arg, at)
    this.#callBack(args, unknown, at)
    if (target.kind === 'text' && target.origin) this.findings.add('code.dynamic', at, target.origin, 'exact')
    return target.kind === 'object' ? target : madeOf([target, ...args])
  }

  #methodCall({ name, of }: Value & { kind: 'method' }, args: readonly Value[], at: number): Value {
    if (of.kind === 'function' && name === 'call') return this.#inline(of.body, of.scope, args.slice(1))
    if (of.kind === 'function' && name === 'bind') return of
    if (of.kind === 'list' && (name === 'map' || name === 'forEach' || name === 'flatMap') && args[0])
      return {
        kind: 'list',
        items: of.items
          .slice(0, 200)
          .map((item) => this.call(args[0]!, { args: [item], named: noNames, at })),
      }
    for (const arg of args) this.#escape(arg, at)
    return methodResult(name, of, args)
  }

  #callApi(api: Value & { kind: 'api' }, { args, named, at }: Given): Value {
    const through = callings.exec(api.name)
    if (through && this.language.ruleOf(api.name.slice(0, through.index))) {
      const inner = { ...api, name: api.name.slice(0, through.index) }
      if (through[1] === 'bind') return inner
      const list = args[1]?.kind === 'list' ? args[1].items : []
      const passed = through[1] === 'call' ? args.slice(1) : through[1] === 'apply' ? list : args
      return this.#callApi(inner, { args: passed, named, at })
    }
    const rule = this.language.ruleOf(api.name)
    if (!rule) {
      for (const arg of [...args, ...named.values()]) this.#escape(arg, at)
      this.#callBack(args, unknown, at)
      const made = `${api.name}()`
      return this.language.isNamespace(made)
        ? { kind: 'api', name: made, of: api.of ?? args[0] }
        : madeOf([...(api.of ? [api.of] : []), ...args])
    }
    const result = applyRule(rule, { api, args, named, at, interpreter: this })
    this.#callBack(args, { ...unknown, origin: originOf(result) }, at)
    return result
  }

  /** Functions that something else calls later, with what that gives them. */
  #callBack(args: readonly Value[], value: TextValue, at: number): void {
    if (value.origin === undefined) return
    for (const arg of args)
      if (arg.kind === 'function')
        this.#inline(
          arg.body,
          arg.scope,
          arg.body.params.map(() => value),
        )
      else if (arg.kind === 'api' && this.language.ruleOf(arg.name))
        this.#callApi(arg, { args: [value], named: noNames, at })
  }

  /** A function of the language that is handed on: whoever has it may call it with anything. */
  #escape(value: Value, at: number): void {
    if (value.kind === 'list') for (const item of value.items.slice(0, 50)) this.#escape(item, at)
    if (value.kind === 'object')
      for (const item of [...value.entries.values()].slice(0, 50)) this.#escape(item, at)
    if (value.kind !== 'api') return
    const rule = this.language.ruleOf(value.name)
    if (rule) applyRule(rule, { api: value, args: [], named: noNames, at, interpreter: this })
  }

  #made(body: FunctionBody, scope: Scope): Value {
    if (!this.#known.has(body)) {
      this.#known.add(body)
      this.#functions.push({ body, scope })
    }
    return { kind: 'function', body, scope }
  }

  #inline(body: FunctionBody, around: Scope, args: readonly Value[]): Value {
    this.#run.add(body)
    const isBlind = !args.some(
      (arg) => arg.kind !== 'text' || arg.certainty === 'exact' || arg.origin !== undefined,
    )
    const known = isBlind ? this.#blindResults.get(body) : undefined
    if (known) return known
    const inside = this.#active.get(body) ?? 0
    if (this.#depth >= maxDepth || inside >= maxInside || this.#work <= 0) return madeOf(args)
    if (isBlind) this.#blindResults.set(body, unknown)
    const scope = new Scope(around)
    for (const [index, name] of body.params.entries())
      scope.bind(name, args[index] ?? { ...given, path: name })
    this.#depth++
    this.#active.set(body, inside + 1)
    const results = this.#steps(body.steps, scope)
    this.#active.set(body, inside)
    this.#depth--
    const result = results.length === 0 ? unknown : anyOf(results)
    if (isBlind) this.#blindResults.set(body, result)
    return result
  }

  /** Two by two: every step keeps a few of the values it may have. */
  #joinAll({ parts, sign }: Expression & { kind: 'join' }, scope: Scope): Value {
    const [first = exact(''), ...rest] = parts.map((part) => this.evaluate(part, scope))
    return rest.length === 0
      ? this.#join([first], sign)
      : rest.reduce((left, right) => this.#join([left, right], sign), first)
  }

  #join(values: readonly Value[], sign: '+' | '/'): Value {
    const at = values.findIndex((value) => value.kind === 'any')
    const choice = values[at]
    if (choice?.kind === 'any')
      return anyOf(choice.of.slice(0, maxChoices).map((one) => this.#join(values.with(at, one), sign)))
    if (sign === '/') return joinedPath(values)
    if (values.every((value) => value.kind === 'number'))
      return { kind: 'number', value: values.reduce((sum, value) => sum + value.value, 0) }
    if (values.every((value) => value.kind === 'list'))
      return { kind: 'list', items: values.flatMap((value) => value.items) }
    return joined(values.map(textOf))
  }

  #each({ name, of, value }: Expression & { kind: 'each' }, scope: Scope): Value {
    const items = this.evaluate(of, scope)
    const inner = new Scope(scope)
    if (items.kind !== 'list' && !isExact(items)) {
      inner.bind(name, madeOf([items]))
      return madeOf([this.evaluate(value, inner)])
    }
    const each =
      items.kind === 'list' ? items.items : [...items.text].map((char) => exact(char, items.origin))
    return {
      kind: 'list',
      items: each.slice(0, 2_000).map((item) => {
        inner.bind(name, item)
        return this.evaluate(value, inner)
      }),
    }
  }
}
