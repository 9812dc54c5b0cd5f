// One embedded PostgreSQL for the whole run (server/test/cluster.ts), a database of its own for every file.
import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { PATIENCE_MS, TEST_PATIENCE_MS } from './packages/testing/src/patience.ts'
import { LongestFirst } from './scripts/test/longest-first.mjs'

const EVERY_TEST = ['server/**/*.test.ts', 'client/**/*.test.ts', 'cli/**/*.test.ts', 'packages/**/*.test.ts']
/** Those that start programs, open pages or take long. `npm test` leaves them to `npm run test:rest`. */
const SLOW = ['**/*.slow.test.ts', 'server/test/web/!(journey).test.ts']
/** Kills, old databases and what takes minutes: only `npm run test:thorough` runs them. */
const THOROUGH = ['**/*.thorough.test.ts']
/** By TEST_TIER; without it, every test. */
const TIERS: Record<string, { include: string[]; exclude: string[] }> = {
  first: { include: EVERY_TEST, exclude: [...configDefaults.exclude, ...SLOW, ...THOROUGH] },
  rest: { include: SLOW, exclude: [...configDefaults.exclude, ...THOROUGH] },
}

const tier = process.env.TEST_TIER ?? ''

export default defineConfig({
  test: {
    include: EVERY_TEST,
    ...TIERS[tier],
    globalSetup: ['server/test/cluster.ts'],
    setupFiles: ['server/test/set-up.ts'],
    testTimeout: TEST_PATIENCE_MS,
    hookTimeout: TEST_PATIENCE_MS,
    teardownTimeout: PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    pool: 'forks',
    // Fewer collections of what lives only as long as a request.
    execArgv: ['--max-semi-space-size=64'],
    // Modules are loaded once for each worker and not once for each file: half of the time went into loading them.
    isolate: false,
    // More than the processors, because much of the time is waiting: for processes, databases and browsers. Each loads the
    // server anew, so in quick tests a fourth costs more than it brings.
    maxWorkers: Math.max(tier === 'rest' ? 4 : 3, availableParallelism()),
    // Keeps transformed modules between runs.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
  },
})
