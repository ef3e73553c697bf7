// Every field a descriptor may hold, object by object.
import {
  anything,
  exitCode,
  type Fields,
  filledText,
  flag,
  integers,
  lineCount,
  list,
  milliseconds,
  object,
  plainValue,
  required,
  text,
  texts,
} from './field.ts'

export const toolFields: Fields = {
  name: required(text),
  description: text,
  parameters: anything,
  timeoutMs: milliseconds,
}

export const executionFields: Fields = {
  tool: required(text),
  binary: required(text),
  subcommand: required(text),
  args: list,
  timeoutMs: milliseconds,
  successExitCodes: integers,
  maxOutputLines: lineCount,
  postProcess: object,
  paramCondition: object,
  hintConditions: list,
}

export const argFields: Fields = {
  param: text,
  kind: text,
  flag: filledText,
  flagIfTrue: text,
  flagIfFalse: text,
  normalizeNewlines: flag,
  resolveCommand: object,
  allowLeadingDash: flag,
  optional: flag,
  disambiguateAfterSkippedPositionals: flag,
  absentDefault: plainValue,
  split: flag,
  value: text,
  subcommandOverride: text,
  denyPattern: text,
  readPath: flag,
  writePath: flag,
}

export const helperFields: Fields = {
  script: text,
  binary: text,
  subcommand: text,
  args: texts,
  timeoutMs: milliseconds,
}

export const postProcessFields: Fields = { ...helperFields, emptyIsResult: flag }

export const paramConditionFields: Fields = { present: texts, absent: texts }

export const hintFields: Fields = {
  match: text,
  exitCode,
  notEmpty: flag,
  whenArg: object,
  hint: required(text),
}
