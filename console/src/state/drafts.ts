// Half-filled forms, kept while the tab is open: the way back finds them as they were left.

const drafts = new Map<string, unknown>()

export function draftOf(tool: string): unknown {
  return drafts.get(tool)
}

export function keepDraft(tool: string, value: unknown): void {
  drafts.set(tool, value)
}
