// How `npm test` finds or installs Chromium. `npm run check -- fresh` shows on a bare machine that each way really works.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findChromium, NO_CHROMIUM, provideChromium } from '../../scripts/test/chromium.mjs'

beforeEach(() => vi.stubEnv('CHROMIUM_PATH', undefined))
afterEach(() => vi.unstubAllEnvs())

/** A machine without a browser, and ways to install one that record when they are tried. */
function makeBareMachine(ways: Record<string, 'works' | 'fails' | 'brings nothing' | 'is impossible'>) {
  let browser: string | undefined
  const tried: string[] = []
  const said: string[] = []
  const options = {
    find: async () => browser,
    say: (line: string) => void said.push(line),
    ways: Object.entries(ways).map(([doing, result]) => ({
      doing,
      isPossible: () => result !== 'is impossible',
      get: () => {
        tried.push(doing)
        if (result === 'fails') throw new Error('the network is down')
        if (result === 'works') browser = `/browser/of/${doing}`
      },
    })),
  }
  return { options, tried, said }
}

describe('with a browser installed', () => {
  it('uses it, prints that and installs nothing', async () => {
    const { options, tried, said } = makeBareMachine({ npm: 'works' })
    expect(await provideChromium({ ...options, find: async () => '/usr/bin/chromium' })).toBe(
      '/usr/bin/chromium',
    )
    expect(tried).toEqual([])
    expect(said).toEqual(['The browser tests use /usr/bin/chromium'])
  })
})

describe('without a browser', () => {
  it('tries one way after the other, and prints each attempt', async () => {
    const { options, tried, said } = makeBareMachine({
      npm: 'fails',
      apt: 'is impossible',
      'a package': 'brings nothing',
      playwright: 'works',
      never: 'works',
    })
    expect(await provideChromium(options)).toBe('/browser/of/playwright')
    expect(tried).toEqual(['npm', 'a package', 'playwright'])
    expect(said).toEqual([
      'No Chromium yet: npm…',
      'That failed: the network is down',
      'No Chromium yet: a package…',
      'No Chromium yet: playwright…',
      'The browser tests use /browser/of/playwright',
    ])
  })

  it('suggests three fixes when every way fails', async () => {
    const { options } = makeBareMachine({ npm: 'fails', playwright: 'brings nothing' })
    await expect(provideChromium(options)).rejects.toThrow(NO_CHROMIUM)
    expect(NO_CHROMIUM).toMatch(/install one on this machine.*CHROMIUM_PATH.*npm/)
  })
})

describe('CHROMIUM_PATH', () => {
  it('is used when it names a program that starts', async () => {
    vi.stubEnv('CHROMIUM_PATH', process.execPath)
    expect(await findChromium()).toBe(process.execPath)
  })

  it('is reported as a mistake when it names none, and nothing is installed', async () => {
    const { options, tried } = makeBareMachine({ npm: 'works' })
    for (const wrong of ['/nowhere/chromium', '/etc/passwd', '']) {
      vi.stubEnv('CHROMIUM_PATH', wrong)
      await expect(provideChromium({ ...options, find: findChromium })).rejects.toThrow('CHROMIUM_PATH')
    }
    expect(tried).toEqual([])
  })
})
