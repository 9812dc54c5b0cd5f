// What a test file has started and must not leave behind. Kept apart from what starts it: modules are shared between the
// files of a worker, and a hook that a shared module registers would run for the first of them only.
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
