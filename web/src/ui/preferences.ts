// A person's display preferences: in a cookie that contains nothing about them, because the server stores no
// preferences and the app does not use the browser's storage (docs/adr/0015-web-app.md). The only code that
// uses cookies.
import { isMantineColorScheme, type MantineColorSchemeManager } from '@mantine/core'
import { pickOne } from './search-params.ts'

const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

/** Browsers shorten it to 400 days. */
const EXPIRES_MS = Date.UTC(2100, 0)

export function readDensity(): Density {
  return pickOne(readPreference('density'), DENSITIES) ?? 'comfortable'
}

export const getShownDensity = (): Density =>
  pickOne(document.documentElement.dataset.density, DENSITIES) ?? 'comfortable'

export function keepDensity(density: Density): void {
  keepPreference('density', density)
  showDensity(density)
}

/** Styles read the density from the root of the document. */
export function showDensity(density: Density): void {
  document.documentElement.dataset.density = density
}

export const colorSchemes: MantineColorSchemeManager = {
  get: fallback => {
    const kept = readPreference('theme')
    return isMantineColorScheme(kept) ? kept : fallback
  },
  set: scheme => keepPreference('theme', scheme),
  clear: () => keepPreference('theme', 'auto'),
  // Another window follows when it is reloaded.
  subscribe: () => undefined,
  unsubscribe: () => undefined,
}

function readPreference(name: string): string | undefined {
  const kept = document.cookie.split('; ').find(each => each.startsWith(`waybill_${name}=`))
  return kept?.slice(kept.indexOf('=') + 1)
}

/**
 * Browsers have a cookie store only on https and on this machine; elsewhere a choice lasts until the page is
 * reloaded.
 */
function keepPreference(name: string, value: string): void {
  if (!('cookieStore' in globalThis)) return
  const cookie = { name: `waybill_${name}`, value, path: '/', expires: EXPIRES_MS, sameSite: 'lax' } as const
  void cookieStore.set(cookie)
}
