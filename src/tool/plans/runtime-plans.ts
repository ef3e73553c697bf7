// The plan of each runtime: the border between the formats, which make plans, and the runtimes, which follow them.
import type { CommandPlan } from './command-plan.ts'
import type { ToolCodePlan } from './deno-plan.ts'
import type { McpPlan } from './mcp-plan.ts'
import type { OpenApiPlan } from './openapi-plan.ts'
import type { RyePlan } from './rye-plan.ts'

/** Code of a skill: a module, or a text that a skill brings along. */
export type SkillPlan =
  | { readonly file: string | null; readonly digest: string; readonly code?: undefined }
  | { readonly code: string; readonly file?: undefined }

/** By the name of the runtime. A plugin that brings a runtime adds its line by declaration merging. */
export interface RuntimePlans {
  readonly command: CommandPlan
  readonly deno: ToolCodePlan
  readonly mcp: McpPlan
  readonly openapi: OpenApiPlan
  readonly 'rye-worker': RyePlan
  readonly 'rye-process': RyePlan
  readonly 'rye-http': RyePlan
  readonly 'rye-mcp': RyePlan
  readonly 'rye-docker': RyePlan
  readonly 'rye-filesystem': RyePlan
  readonly skill: SkillPlan
  readonly agent: {
    readonly file?: string | null
    readonly digest?: string
    /** The parameter that is the task, for an agent that no file describes. */
    readonly taskFrom?: string
  }
  /** Tools of the program itself. */
  readonly builtin: { readonly answer: string }
  /** A function of the program that embeds the crib, by the tool's id. */
  readonly function: { readonly function: string }
  /** Skill files by id. */
  readonly 'read-skill': { readonly skills: { readonly [id: string]: string } }
}

/** Which runtime runs a tool, and the plan it follows. */
export type RuntimeChoice = {
  [Name in keyof RuntimePlans]: { readonly name: Name; readonly plan: RuntimePlans[Name] }
}[keyof RuntimePlans]

type Planned = { readonly runtime: RuntimeChoice | null }

/** The plan of a tool that this runtime runs; undefined for the tools of others. */
export function planOf<Name extends keyof RuntimePlans>(
  { runtime }: Planned,
  name: Name,
): RuntimePlans[Name] | undefined {
  return runtime?.name === name ? (runtime.plan as RuntimePlans[Name]) : undefined
}

/** The plan of a tool of one of rye's runtimes; undefined for all others. */
export function ryePlanOf({ runtime }: Planned): RyePlan | undefined {
  return runtime && 'primitive' in runtime.plan ? runtime.plan : undefined
}
