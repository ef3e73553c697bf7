// `toolcrib/exports`: tool definitions for OpenAI, Anthropic, Ollama, Gemini, the AI SDK and MCP, and skill folders as
// a model is given them.
export { errorForModel, type FunctionDefinition } from './formats/tools-json/definitions.ts'
export { type ExportedTools, exportTools } from './surfaces/exports/export-tools.ts'
export { type Provider, providerNames } from './surfaces/exports/providers.ts'
export { type SkillsForModel, skillsForModel } from './surfaces/exports/skills-for-model.ts'
export type { Loss, LossEffect } from './tool/exporter.ts'
