// The journeys in a real browser: `npm run test:web`.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['server/test/web/**/*.test.ts'],
    globalSetup: ['server/test/cluster.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    pool: 'forks',
    maxWorkers: 1,
  },
})
