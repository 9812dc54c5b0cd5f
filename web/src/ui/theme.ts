// How everything looks: one theme, and the nonce that lets its styles in.
import { createTheme } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'blue',
  // White on it, and it on white, can be read by everybody.
  primaryShade: { light: 8, dark: 8 },
  fontFamily: 'system-ui, sans-serif',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // What stands on a page from the start interrupts nobody; what has just gone wrong says `alert` itself.
    Alert: { defaultProps: { role: 'note' } },
    // A table that is wider than the page is scrolled by the keyboard, too.
    TableScrollContainer: {
      defaultProps: {
        scrollAreaProps: { viewportProps: { tabIndex: 0, role: 'group', 'aria-label': 'Table' } },
      },
    },
  },
})

/** The server gives each page its own. */
export function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}
