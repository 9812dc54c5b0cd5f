// The Mantine theme, and the CSP nonce that allows its styles.
import { createTheme } from '@mantine/core'
import { uiTexts as texts } from './texts.ts'

export const theme = createTheme({
  primaryColor: 'blue',
  // Has enough contrast as a background of white text and as text on white.
  primaryShade: { light: 8, dark: 8 },
  fontFamily: 'system-ui, sans-serif',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // An alert that is there from the start must not interrupt; new errors set `role="alert"` themselves.
    Alert: { defaultProps: { role: 'note' } },
    // Makes a table that is wider than the page scrollable by keyboard.
    TableScrollContainer: {
      defaultProps: {
        scrollAreaProps: { viewportProps: { tabIndex: 0, role: 'group', 'aria-label': texts.table } },
      },
    },
  },
})

/** The server sends a new nonce with every page. */
export function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}
