// `npm test`: installs what is missing and passes the whole suite. Arguments go to vitest: `npm test -- flows`.
import { check } from './check.mjs'
import { provideChromium } from './chromium.mjs'
import { prepare } from './prepare.mjs'
import { bin, step } from './run-step.mjs'

await prepare()
const only = process.argv.slice(2)
if (only.length === 0) check()
await provideChromium()
step('tests', bin('vitest'), ['run', ...only])
