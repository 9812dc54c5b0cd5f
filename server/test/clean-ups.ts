// Clean-ups of a test file. Separate from the code that starts things: workers share modules between files, and a hook
// that a shared module registers would run for the first file only.
import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll } from 'vitest'

const clean_ups: (() => unknown)[] = []
const outliving = new AsyncLocalStorage<true>()

export function addCleanUp(cleanUp: () => unknown): void {
  if (!outliving.getStore()) clean_ups.push(cleanUp)
}

/** What is started inside stays for the other files of the worker, until the run ends what it left behind. */
export const outliveFile = <T>(start: () => T): T => outliving.run(true, start)

/** Called by the set-up of every file. */
export function cleanUpAfterFile(): void {
  afterAll(async () => {
    for (const cleanUp of clean_ups.splice(0).reverse()) await cleanUp()
  })
}
