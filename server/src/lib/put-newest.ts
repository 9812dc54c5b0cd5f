// A map that is bounded: what was used longest ago is forgotten first.

/** Sets an entry of a map and makes it the newest. With more than `most` entries, the one that was set longest ago goes. */
export function putNewest<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key)
  map.set(key, value)
  const oldest = map.keys().next()
  if (map.size > most && !oldest.done) map.delete(oldest.value)
}
