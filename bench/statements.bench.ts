// Counts the rows that every statement reads in two organizations with many rows in every table, as the suite does with
// few (server/test/statement-bounds.slow.test.ts). `STATEMENT_ROWS=1000000` chooses how many.
import { spawnSync } from 'node:child_process'
import { ROOT } from './bench-service.ts'

const PATIENCE_MS = 3 * 60 * 60 * 1000

const patience = [`--hookTimeout=${PATIENCE_MS}`, `--testTimeout=${PATIENCE_MS}`]
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'server/test/statement-bounds.slow.test.ts', ...patience],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      STATEMENT_ROWS: process.env.STATEMENT_ROWS ?? '200000',
      TEST_CLUSTER_ON_DISK: 'true',
    },
  },
)
process.exitCode = status ?? 1
