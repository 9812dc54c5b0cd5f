// One embedded PostgreSQL for the whole run (server/test/cluster.ts), a database of its own for every file.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'client/**/*.test.ts'],
    globalSetup: ['server/test/cluster.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
