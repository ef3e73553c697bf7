// The parameters of calls that this tab made, newest first; gone when one signs out.

const most = 8
const mostBytes = 20_000
const keyOf = (tool: string) => `toolcrib-inputs:${tool}`

export function inputsOf(tool: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(sessionStorage.getItem(keyOf(tool)) ?? '[]')
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

export function keepInput(tool: string, params: unknown): void {
  const text = JSON.stringify(params) ?? ''
  if (text === '' || text === '{}' || text.length > mostBytes) return
  const others = inputsOf(tool).filter((each) => JSON.stringify(each) !== text)
  try {
    sessionStorage.setItem(keyOf(tool), JSON.stringify([params, ...others].slice(0, most)))
  } catch {
    // The storage is full: the call matters more than its history.
  }
}
