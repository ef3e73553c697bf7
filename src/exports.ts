// `toolcrib/exports`: tool definitions for OpenAI, Anthropic, Ollama, Gemini, the AI SDK, LangChain and MCP, the tools
// for loops over their APIs, and skill folders as a model is given them.
export { errorForModel, type FunctionDefinition } from './formats/tools-json/definitions.ts'
export type {
  AiSdkTool,
  AnthropicTool,
  Definitions,
  GeminiTool,
  McpTool,
  OllamaTool,
  OpenAiResponsesTool,
  OpenAiTool,
} from './surfaces/exports/definitions.ts'
export { type ExportedTools, exportTools } from './surfaces/exports/export-tools.ts'
export { type Provider, providerNames } from './surfaces/exports/providers.ts'
export { type SkillsForModel, skillsForModel } from './surfaces/exports/skills-for-model.ts'
export {
  type CallableCrib,
  type LoopOptions,
  type ToolLoop,
  toolsForAnthropic,
  toolsForLangChain,
  toolsForOpenAi,
  toolsForOpenAiResponses,
} from './surfaces/exports/tool-loop.ts'
export { type ExecutableTool, toolsForAiSdk } from './surfaces/exports/tools-for-ai-sdk.ts'
export type { Loss, LossEffect } from './tool/exporter.ts'
