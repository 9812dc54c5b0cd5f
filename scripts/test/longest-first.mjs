// Orders the test files: the slowest ones start first, so that no worker waits for them at the end.
import { BaseSequencer } from 'vitest/node'

/** By measured time, the slowest first; all others follow in their original order. */
const SLOW_FILES = [
  'test/every-operation.test.ts',
  'test/web/pages.test.ts',
  'test/admin.test.ts',
  'test/kill.test.ts',
  'test/evidence-faults.test.ts',
  'test/delivery-kill.test.ts',
  'test/credentials.test.ts',
  'test/web/live.test.ts',
  'test/cells.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/statement-bounds.test.ts',
  'test/rotation-kill.test.ts',
  'test/web/',
  'cli/test/pipelines.test.ts',
  'test/log-witnesses.test.ts',
  'test/fleet.test.ts',
  'test/secret-key.test.ts',
  'packages/embedded-postgres/',
  'test/table-statistics.test.ts',
  'test/log-statement-faults.test.ts',
  'test/database-restart.test.ts',
  'test/planted-secrets.test.ts',
  'test/pooler.test.ts',
  'packages/evidence-files/src/large.test.ts',
  'test/races.test.ts',
  'test/takeover.test.ts',
  'test/rolling-restart.test.ts',
  'packages/fingerprints/src/many-files.test.ts',
  'test/killed-run.test.ts',
  'test/delivery.test.ts',
  'test/snapshots.test.ts',
  'test/operator.test.ts',
  'test/shutdown.test.ts',
  'test/bookkeeping-model.test.ts',
  'test/provenance.test.ts',
  'admin/backup.test.ts',
  'jq/engine.test.ts',
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
