// The definitions of each provider as its own library types them, so that they can be handed over without a cast.

/** JSON Schema as the providers' libraries take it. */
export interface ObjectSchema {
  [keyword: string]: unknown
}

export interface OpenAiTool {
  type: 'function'
  function: { name: string; description?: string; strict?: boolean; parameters: ObjectSchema }
}

export interface OpenAiResponsesTool {
  type: 'function'
  name: string
  description?: string
  strict: boolean
  parameters: ObjectSchema
}

export interface AnthropicTool {
  name: string
  description?: string
  input_schema: ObjectSchema & { type: 'object' }
}

export interface OllamaTool {
  type: 'function'
  function: { name: string; description?: string; parameters: ObjectSchema }
}

export interface AiSdkTool {
  name: string
  description?: string
  inputSchema: ObjectSchema
}

export interface GeminiTool {
  name: string
  description?: string
  parameters?: ObjectSchema
}

export interface McpTool {
  name: string
  title?: string
  description?: string
  inputSchema: ObjectSchema & { type: 'object' }
  outputSchema?: ObjectSchema
  annotations?: { [hint: string]: unknown }
  _meta?: { [key: string]: unknown }
}

/** Which provider takes which. */
export interface Definitions {
  mcp: McpTool
  openai: OpenAiTool
  'openai-responses': OpenAiResponsesTool
  anthropic: AnthropicTool
  ollama: OllamaTool
  'ai-sdk': AiSdkTool
  gemini: GeminiTool
}
