// `npm test`: what a person runs before every commit, without the slow tests. `npm run test:rest` runs those. With words,
// `npm test -- flows` runs the test files whose path contains them, slow or not, and nothing else.
import { readdirSync } from 'node:fs'
import { check } from '../check/check.mjs'
import { prepare, root } from '../run/prepare.mjs'
import { getBinPath, runStep } from '../run/run-step.mjs'
import { provideChromium } from './chromium.mjs'

const BROWSER_TESTS = 'server/test/web'

prepare()
const args = process.argv.slice(2)
const isRest = args[0] === '--rest'
const words = isRest ? args.slice(1) : args
const tier = isRest ? 'rest' : words.length === 0 ? 'first' : 'all'
if (tier === 'first') check()
const env = needsBrowser(words) ? { CHROMIUM_PATH: await requireChromium() } : {}
runStep('tests', getBinPath('vitest'), ['run', ...words], { ...env, TEST_TIER: tier })

/** Returns whether the words select browser tests: vitest runs the files whose path contains one. */
function needsBrowser(words) {
  const parts = words.filter((word, index) => !word.startsWith('-') && words[index - 1] !== '-t')
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
