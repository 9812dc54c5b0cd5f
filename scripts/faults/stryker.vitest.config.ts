// Selects only tests of pure code: Stryker runs them hundreds of times, without a database.
import { defineConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

const { testTimeout, hookTimeout, expect } = base.test ?? {}

export default defineConfig({
  test: {
    include: ['server/src/domain/**/*.test.ts', 'packages/**/*.test.ts'],
    testTimeout,
    hookTimeout,
    expect,
  },
})
