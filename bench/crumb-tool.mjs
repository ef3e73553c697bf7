// A small tool.code.v1 document for the scenarios.
export function toolDocument(name, source, more = {}) {
  return {
    schema_name: 'tool.code.v1',
    title: name,
    tags: ['tool', `tool:${name}`, 'workspace:tools', 'self-contained'],
    context: {
      name,
      description: 'Measured.',
      version: '1.0.0',
      code: { language: 'javascript', source },
      input_schema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
      output_schema: {},
      required_secrets: [],
      limits: { memory_mb: 128, timeout_ms: 30000, cpu_percent: 100 },
      permissions: {},
      examples: [],
      ...more,
    },
  }
}
