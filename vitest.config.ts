// One embedded PostgreSQL for the whole run (server/test/cluster.ts), a database of its own for every file.
import { defineConfig } from 'vitest/config'
import { docTestsReporter } from './scripts/doc-tests-reporter.mjs'
import { LongestFirst } from './scripts/longest-first.mjs'

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'client/**/*.test.ts'],
    reporters: ['default', docTestsReporter()],
    globalSetup: ['server/test/cluster.ts'],
    setupFiles: ['server/test/set-up.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Modules are loaded once for each worker and not once for each file: half of the time went into loading them.
    isolate: false,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
})
