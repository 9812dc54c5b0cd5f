// Creates a value on first use and keeps it.
export function once<T>(make: () => T): () => T {
  let created: { value: T } | undefined
  return () => {
    created ??= { value: make() }
    return created.value
  }
}
