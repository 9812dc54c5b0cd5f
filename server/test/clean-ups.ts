// Clean-ups of a test file. Separate from the code that starts things: workers share modules between files, and a hook
// that a shared module registers would run for the first file only.
import { afterAll } from 'vitest'

const clean_ups: (() => unknown)[] = []

export function addCleanUp(cleanUp: () => unknown): void {
  clean_ups.push(cleanUp)
}

/** Called by the set-up of every file. */
export function cleanUpAfterFile(): void {
  afterAll(async () => {
    for (const cleanUp of clean_ups.splice(0).reverse()) await cleanUp()
  })
}
