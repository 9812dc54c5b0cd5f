// The theme of the YAML editor: our colours in light and dark, applied with the page's CSP nonce.
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { tags } from '@lezer/highlight'
import { EditorView } from 'codemirror'
import { readStyleNonce } from './theme.ts'

interface Colours {
  key: string
  text: string
  label: string
  comment: string
  /** Colons, dashes and brackets. */
  sign: string
  /** Background of the line number at the cursor. */
  line: string
  selection: string
  bracket: string
}

/** Text has a contrast of at least 4.5, on the page and inside a selection. */
const LIGHT: Colours = {
  key: '#0b4f9e',
  text: '#8a3a00',
  label: '#7a1fa2',
  comment: '#50575e',
  sign: '#3d434a',
  line: '#f1f6fb',
  selection: '#cfe2f7',
  bracket: '#d6e9d8',
}
const DARK: Colours = {
  key: '#7cc4ff',
  text: '#ffc078',
  label: '#e5a8f7',
  comment: '#b4b8bd',
  sign: '#ced4da',
  line: '#2f3133',
  selection: '#2b4869',
  bracket: '#33503a',
}

export function buildEditorTheme(isDark: boolean) {
  const colours = isDark ? DARK : LIGHT
  return [
    EditorView.cspNonce.of(readStyleNonce()),
    EditorView.lineWrapping,
    yaml(),
    syntaxHighlighting(buildHighlighting(colours)),
    EditorView.theme(buildFrame(colours), { dark: isDark }),
  ]
}

function buildHighlighting({ key, text, label, comment, sign }: Colours) {
  return HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.keyword], color: key },
    { tag: [tags.string, tags.special(tags.string), tags.attributeValue], color: text },
    { tag: [tags.labelName, tags.typeName, tags.meta], color: label },
    { tag: [tags.comment, tags.lineComment], color: comment, fontStyle: 'italic' },
    { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: sign },
  ])
}

function buildFrame({ line, selection, bracket }: Colours) {
  return {
    '&': {
      fontSize: 'var(--mantine-font-size-sm)',
      backgroundColor: 'var(--mantine-color-body)',
      color: 'var(--mantine-color-text)',
      border: '1px solid var(--mantine-color-default-border)',
      borderRadius: 'var(--mantine-radius-md)',
    },
    '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)' },
    '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)' },
    '.cm-content': { caretColor: 'var(--mantine-color-text)' },
    '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--mantine-color-text)' },
    '.cm-gutters': {
      backgroundColor: 'var(--mantine-color-body)',
      color: 'var(--mantine-color-dimmed)',
      borderRadius: 'var(--mantine-radius-md)',
    },
    // A background here would cover the selection; the line number shows where the cursor is.
    '.cm-activeLine': { backgroundColor: 'transparent' },
    '.cm-activeLineGutter': { backgroundColor: line, color: 'var(--mantine-color-text)' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
      background: selection,
    },
    '&.cm-focused .cm-matchingBracket': { backgroundColor: bracket },
  }
}

/** Read-only, but still reachable by keyboard. */
export function makeReadOnly(label: string) {
  return [
    EditorView.editable.of(false),
    EditorView.theme({ '.cm-activeLineGutter': { backgroundColor: 'transparent' } }),
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, 'aria-readonly': 'true' }),
  ]
}
