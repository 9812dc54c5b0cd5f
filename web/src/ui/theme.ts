// The Mantine theme: colours, typeface, type scale and spacing, and the CSP nonce that allows its styles. The colours of
// states are in styles.css.
import { createTheme, type MantineColorsTuple } from '@mantine/core'
import { uiTexts as texts } from './texts.ts'

/**
 * The colour of the logo, of actions and of links. Clearly different from the state colours, which have a
 * meaning.
 */
const INK: MantineColorsTuple = [
  '#eef1fd',
  '#dbe1fa',
  '#b9c5f7',
  '#a9b8ff',
  '#8fa2f5',
  '#5f76e6',
  '#4a63e4',
  '#3c53cb',
  '#3449b6',
  '#283ba1',
]

const GRAY: MantineColorsTuple = [
  '#f7f8fa',
  '#eef0f4',
  '#e3e6ec',
  '#d5d9e1',
  '#bcc2cd',
  '#9aa2b1',
  '#7a8394',
  '#565f70',
  '#3a4150',
  '#22262f',
]

const DARK: MantineColorsTuple = [
  '#d3d7e0',
  '#b4bac7',
  '#8c93a3',
  '#6b7280',
  '#444b59',
  '#373d4a',
  '#2a2f3a',
  '#1a1d24',
  '#14171d',
  '#0e1014',
]

/** Mantine's red, with darker shades where it is the background of white text. */
const RED: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#fa5252',
  '#c92a2a',
  '#c92a2a',
  '#a61e1e',
]

export const theme = createTheme({
  primaryColor: 'ink',
  colors: { ink: INK, gray: GRAY, dark: DARK, red: RED },
  black: '#1a1d24',
  // Has enough contrast as a background of white text and as text on white.
  primaryShade: { light: 8, dark: 7 },
  fontFamily: "'Geist Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'Geist Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '18px' },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.45', lg: '1.5', xl: '1.5' },
  spacing: { xs: '6px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '24px', lineHeight: '1.25' },
      h2: { fontSize: '18px', lineHeight: '1.3' },
      h3: { fontSize: '16px', lineHeight: '1.35' },
      h4: { fontSize: '14px', lineHeight: '1.4' },
      h5: { fontSize: '14px', lineHeight: '1.4' },
      h6: { fontSize: '13px', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'sm',
  radius: { xs: '3px', sm: '6px', md: '8px', lg: '12px', xl: '24px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // An alert that exists from the start must not interrupt; new errors set `role="alert"` themselves.
    Alert: { defaultProps: { role: 'note' } },
    Badge: { defaultProps: { radius: 'sm' } },
    // While it animates, its labels have too little contrast.
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
    // Mantine writes its spacing into the element, where styles cannot change it, so it refers to the density.
    Table: { defaultProps: { verticalSpacing: 'var(--row-padding)' } },
    // Makes a table wider than the page scrollable by keyboard.
    TableScrollContainer: {
      defaultProps: {
        scrollAreaProps: { viewportProps: { tabIndex: 0, role: 'group', 'aria-label': texts.table.label } },
      },
    },
  },
})

/** The server sends a new nonce with every page. */
export function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}
