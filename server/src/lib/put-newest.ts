// A map of limited size that drops its oldest entry first.

/** Sets an entry and makes it the newest. If the map then has more than `limit` entries, removes the oldest. */
export function putNewest<T>(map: Map<string, T>, key: string, value: T, limit: number): void {
  map.delete(key)
  map.set(key, value)
  const oldest = map.keys().next()
  if (map.size > limit && !oldest.done) map.delete(oldest.value)
}
