// A staged file on its way to being kept or forgotten, whatever the store does to keep it.
import { rm } from 'node:fs/promises'
import { assert } from '../lib/assert.ts'
import type { StagedEvidence } from './evidence.ts'
import type { StagedFile } from './staging.ts'

/** `take` makes the file part of the store; it may move it away. */
export function makeStagedEvidence(
  name: string,
  staged: StagedFile,
  take: (staged: StagedFile) => Promise<void>,
): StagedEvidence {
  let state: 'staged' | 'kept' | 'discarded' = 'staged'
  const { sha256, bytes, path } = staged
  return {
    sha256,
    bytes,
    name,
    keep: async () => {
      if (state === 'kept') return
      assert(state === 'staged', 'evidence that was discarded is not kept')
      await take(staged)
      state = 'kept'
    },
    discard: async () => {
      if (state !== 'staged') return
      state = 'discarded'
      await rm(path, { force: true })
    },
  }
}
