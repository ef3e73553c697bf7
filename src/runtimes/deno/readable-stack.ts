// Stack frames that name the tool instead of the data URL it was loaded from.

/** `data:…:3:26` becomes `adder.ts:3:26`; frames of the harness and of Deno itself are left out. */
export function readableStack(stack: string, toolName: string): string {
  return stack
    .split('\n')
    .filter((line) => !/^\s+at .*(harness\.js|ext:|node:)/.test(line))
    .map((line) => line.replace(/data:[^\s()]*/g, (url) => readablePlace(url, toolName)))
    .join('\n')
}

/** In two steps: as one expression it would look through a hostile line again from each of its places. */
function readablePlace(url: string, toolName: string): string {
  const at = url.search(/:\d+:\d+/)
  return at === -1 ? url : `${toolName}.ts${url.slice(at)}`
}
