// Long work in small portions: between two of them everybody else has a turn, so that one large environment is not
// felt by the others.

/** Calls `work` for each item, and lets the event loop turn after every `portion` of them. */
export async function forEachInChunks<T>(
  items: readonly T[],
  chunk_size: number,
  work: (item: T) => void,
): Promise<void> {
  for (const [i, item] of items.entries()) {
    if (i > 0 && i % chunk_size === 0) await new Promise(resolve => setImmediate(resolve))
    work(item)
  }
}

/** What `JSON.stringify` gives for a list, made in portions. */
export async function stringifyInChunks(items: readonly unknown[], chunk_size: number): Promise<string> {
  const parts: string[] = []
  await forEachInChunks(items, chunk_size, item => parts.push(JSON.stringify(item)))
  return `[${parts.join(',')}]`
}
