// The path that the app is served under: '' or, for example, `/waybill`. The server writes it into the
// document, where the build has left `./`. The development server does the same; tests have no document.
const written =
  typeof document === 'undefined' ? null : document.querySelector<HTMLMetaElement>('meta[name="base"]')

export const BASE_PATH =
  written === null || written.content === './' ? '' : written.content.replace(/\/$/, '')

/** The address of this page relative to that path. */
export function readOwnPath(): string {
  const { pathname, search } = window.location
  return pathname.slice(BASE_PATH.length) + search
}
