// Orders the test files: the slowest ones start first, so that no worker waits for them at the end.
import { BaseSequencer } from 'vitest/node'

/** By measured time, the slowest first; all others follow in their original order. */
const SLOW_FILES = [
  'test/kill.test.ts',
  'test/web/pages.test.ts',
  'test/delivery-kill.test.ts',
  'test/every-operation.test.ts',
  'test/rotation-kill.test.ts',
  'test/admin.test.ts',
  'test/bookkeeping-model.test.ts',
  'test/web/',
  'test/provenance.test.ts',
  'test/operator.test.ts',
  'test/shutdown.test.ts',
  'admin/backup.test.ts',
  'test/delivery.test.ts',
  'jq/engine.test.ts',
  'test/credentials.test.ts',
  'packages/embedded-postgres/',
  'test/database-restart.test.ts',
  'test/snapshots.test.ts',
  'test/races.test.ts',
  'test/readme.test.ts',
  'test/demo.test.ts',
]

const getRank = ({ moduleId }) => {
  const index = SLOW_FILES.findIndex(part => moduleId.includes(part))
  return index === -1 ? SLOW_FILES.length : index
}

export class LongestFirst extends BaseSequencer {
  async sort(files) {
    return (await super.sort(files)).toSorted((a, b) => getRank(a) - getRank(b))
  }
}
