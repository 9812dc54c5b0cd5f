// `npm test`: installs missing packages and runs all tests. Arguments are passed to vitest: `npm test -- flows`.
import { readdirSync } from 'node:fs'
import { check } from '../check/check.mjs'
import { prepare, root } from '../run/prepare.mjs'
import { getBinPath, runStep } from '../run/run-step.mjs'
import { provideChromium } from './chromium.mjs'

const BROWSER_TESTS = 'server/test/web'

prepare()
const args = process.argv.slice(2)
if (args.length === 0) check()
const env = needsBrowser(args) ? { CHROMIUM_PATH: await requireChromium() } : {}
runStep('tests', getBinPath('vitest'), ['run', ...args], env)

/** Returns whether the arguments select browser tests: vitest runs the files whose path contains an argument. */
function needsBrowser(args) {
  const parts = args.filter((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-t')
  const files = readdirSync(`${root}/${BROWSER_TESTS}`).map(file => `${BROWSER_TESTS}/${file}`)
  return parts.length === 0 || files.some(file => parts.some(part => file.includes(part)))
}

async function requireChromium() {
  try {
    return await provideChromium()
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}
