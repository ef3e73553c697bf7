// `toolcrib/exports`: tool definitions for OpenAI, Anthropic, Ollama, Gemini, the AI SDK and MCP.
export { type ExportedTools, exportTools } from './surfaces/exports/export-tools.ts'
export type { Loss, LossEffect } from './surfaces/exports/loss.ts'
export { type Provider, providerNames } from './surfaces/exports/providers.ts'
