// The order of the test files: what takes longest begins first, so that no worker waits for it at the end.
import { BaseSequencer } from 'vitest/node'

/** By measured time, the longest first; all others follow as they come. */
const LONG = [
  'test/kill.test.ts',
  'test/delivery-kill.test.ts',
  'test/admin.test.ts',
  'test/web/pages.test.ts',
  'test/every-operation.test.ts',
  'test/demo.test.ts',
  'test/rotation-kill.test.ts',
  'test/bookkeeping-model.test.ts',
  'test/operator.test.ts',
  'test/shutdown.test.ts',
  'test/web/',
  'admin/backup.test.ts',
  'test/planted-secrets.test.ts',
]

const rank = ({ moduleId }) => {
  const place = LONG.findIndex(part => moduleId.includes(part))
  return place === -1 ? LONG.length : place
}

export class LongestFirst extends BaseSequencer {
  async sort(files) {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
