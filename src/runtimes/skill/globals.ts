// One object per process, shared by every context: configuration, loaded tools, a cache, and whatever skills add.

export const globals: { [key: string]: unknown } = { config: {}, tools: {}, cache: {} }
