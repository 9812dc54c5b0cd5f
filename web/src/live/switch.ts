// A value that is on or off, for `useSyncExternalStore`.

export interface Switch {
  read(): boolean
  set(isOn: boolean): void
  subscribe(listener: () => void): () => void
}

export function makeSwitch(): Switch {
  let isOn = false
  const listeners = new Set<() => void>()
  return {
    read: () => isOn,
    set: next => {
      if (next === isOn) return
      isOn = next
      for (const listener of listeners) listener()
    },
    subscribe: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
