// Node's own `import()`. It stands in a module of its own, made from text, so that bundlers and test runners,
// which replace the `import()` they see, leave it alone.

let native: Promise<{ load(url: string): Promise<{ readonly [name: string]: unknown }> }> | undefined

export async function importNative(url: string): Promise<{ readonly [name: string]: unknown }> {
  native ??= import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`)
  return (await native).load(url)
}

const source = 'export const load = (url) => import(url)'
