// A staged file until it is kept or discarded, for every kind of store.
import { rm } from 'node:fs/promises'
import { assert } from '../lib/assert.ts'
import type { StagedEvidence } from './evidence.ts'
import type { StagedFile } from './staging.ts'

/** `store` makes the file part of the store and may move it. */
export function makeStagedEvidence(
  name: string,
  staged: StagedFile,
  store: (staged: StagedFile) => Promise<void>,
): StagedEvidence {
  let state: 'staged' | 'kept' | 'discarded' = 'staged'
  const { sha256, bytes, path } = staged
  return {
    sha256,
    bytes,
    name,
    keep: async () => {
      if (state === 'kept') return
      assert(state === 'staged', 'discarded evidence is not kept')
      await store(staged)
      state = 'kept'
    },
    discard: async () => {
      if (state !== 'staged') return
      state = 'discarded'
      await rm(path, { force: true })
    },
  }
}
