// The browser of the journeys: the one that CHROMIUM_PATH names, one of the machine, or the one that Playwright keeps.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Undefined when there is none. */
export async function findChromium() {
  const named = process.env.CHROMIUM_PATH
  // A path that was given and is wrong is a mistake to be told, and no reason to take another browser.
  if (named !== undefined) return existsSync(named) ? named : undefined
  const { chromium } = await import('playwright-core')
  return [...PLACES, chromium.executablePath()].find(existsSync)
}

/** Says which browser it is. Fetches one when the machine has none, and says that too. */
export async function provideChromium() {
  const found = await findChromium()
  if (found !== undefined) {
    console.error(`The journeys through the web app use ${found}`)
    return
  }
  if (process.env.CHROMIUM_PATH === undefined) {
    console.error('There is no Chromium on this machine: Playwright fetches one…')
    const playwright = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'))
    spawnSync(process.execPath, [join(playwright, 'cli.js'), 'install', 'chromium'], {
      stdio: ['ignore', 2, 2],
    })
  }
  if ((await findChromium()) !== undefined) return
  console.error('No Chromium: install one, or say where it is with CHROMIUM_PATH. The journeys will fail.')
}
