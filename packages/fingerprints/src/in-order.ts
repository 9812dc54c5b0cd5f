// Bounded concurrency that returns results in the order of their sources.

/**
 * At most `limit` results are being computed or waiting. After a failure, everything under way finishes
 * before the error is thrown.
 */
export async function* mapInOrder<T, R>(
  source: AsyncIterable<T> | Iterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const waiting: Promise<R>[] = []
  try {
    for await (const item of source) {
      const result = work(item)
      // The error is handled when its turn comes; until then it must not count as unhandled.
      result.catch(() => undefined)
      waiting.push(result)
      if (waiting.length >= limit) yield await (waiting.shift() as Promise<R>)
    }
    while (waiting.length > 0) yield await (waiting.shift() as Promise<R>)
  } finally {
    await Promise.allSettled(waiting)
  }
}
