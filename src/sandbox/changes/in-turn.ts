// Commits of this process that touch the same path go one after the other; others never wait for each other (E12).

const underWay = new Map<string, Promise<void>>()

/** Calls `act` when everybody who came before with one of the keys is done. */
export async function inTurn<T>(keys: readonly string[], act: () => Promise<T>): Promise<T> {
  const earlier = new Set(keys.flatMap((key) => underWay.get(key) ?? []))
  let done = () => {}
  const own = new Promise<void>((resolve) => {
    done = resolve
  })
  for (const key of keys) underWay.set(key, own)
  try {
    await Promise.all(earlier)
    return await act()
  } finally {
    done()
    for (const key of keys) if (underWay.get(key) === own) underWay.delete(key)
  }
}
