// Splits long work into chunks and yields to the event loop between them, so that one large environment does not slow
// down the others.

/** Calls `work` for each item and yields to the event loop after every `chunk_size` items. */
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

/** Like `JSON.stringify` for a list, but in chunks. */
export async function stringifyInChunks(items: readonly unknown[], chunk_size: number): Promise<string> {
  const parts: string[] = []
  await forEachInChunks(items, chunk_size, item => parts.push(JSON.stringify(item)))
  return `[${parts.join(',')}]`
}
