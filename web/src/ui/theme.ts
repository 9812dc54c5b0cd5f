// How everything looks: one theme, and the nonce that lets its styles in.
import { createTheme } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'blue',
  fontFamily: 'system-ui, sans-serif',
  defaultRadius: 'md',
  cursorType: 'pointer',
})

/** The server gives each page its own. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}
