// How a text in an editor looks: our colours in light and dark, under the nonce of the page.
import { yaml } from '@codemirror/lang-yaml'
import { EditorView } from 'codemirror'
import { styleNonce } from './theme.ts'

/** The colours of the words are made for light: turned around, and back to their hue, they are readable in dark. */
const READABLE_IN_DARK = { filter: 'invert(1) hue-rotate(180deg)' }

export function editorLook(isDark: boolean) {
  return [
    EditorView.cspNonce.of(styleNonce()),
    EditorView.lineWrapping,
    yaml(),
    EditorView.theme(
      {
        '&': {
          fontSize: '14px',
          backgroundColor: 'var(--mantine-color-body)',
          color: 'var(--mantine-color-text)',
          border: '1px solid var(--mantine-color-default-border)',
          borderRadius: 'var(--mantine-radius-md)',
        },
        '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)' },
        '.cm-content': { fontFamily: 'ui-monospace, monospace' },
        '.cm-gutters': {
          backgroundColor: 'var(--mantine-color-body)',
          color: 'var(--mantine-color-dimmed)',
          borderRadius: 'var(--mantine-radius-md)',
        },
        ...(isDark ? { '.cm-line span[class^="ͼ"]': READABLE_IN_DARK } : {}),
      },
      { dark: isDark },
    ),
  ]
}

/** To be read, and to be reached by the keyboard all the same. */
export function readOnly(label: string) {
  return [
    EditorView.editable.of(false),
    EditorView.theme({ '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' } }),
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, 'aria-readonly': 'true' }),
  ]
}
