// The checks of a made release, which `npm run check -- release` runs. They need the files of the release, npm's registry and root.
import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

export default defineConfig({
  test: {
    ...base.test,
    include: ['server/test/release/*.check.ts'],
    reporters: ['verbose'],
    fileParallelism: false,
  },
})
