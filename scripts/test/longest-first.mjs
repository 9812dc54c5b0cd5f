// Orders the test files: the slowest ones start first, so that no worker waits for them at the end.
import { BaseSequencer } from 'vitest/node'

/** By measured time, the slowest first; all others follow in their original order. */
const LONGEST = [
  'every-operation',
  'test/web/pages',
  'test/web/',
  'statement-bounds',
  'evidence-faults',
  'pipelines',
  'telemetry',
  'fleet',
  'database-restart',
  'log-witnesses',
  'admin.slow',
  'secret-key',
  'credentials.slow',
  'unread-answers',
  'cells.slow',
  'check-store',
  'pooler',
  'shutdown',
  'backup.slow',
  'tidy',
]

const getRank = ({ moduleId }) => {
  const index = LONGEST.findIndex(part => moduleId.includes(part))
  return index === -1 ? LONGEST.length : index
}

export class LongestFirst extends BaseSequencer {
  async sort(files) {
    return (await super.sort(files)).toSorted((a, b) => getRank(a) - getRank(b))
  }
}
