// The policy editor: highlighting, suggestions, and the server's errors at their place.
import { indentWithTab } from '@codemirror/commands'
import { yamlLanguage } from '@codemirror/lang-yaml'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { keymap } from '@codemirror/view'
import { Text, useComputedColorScheme } from '@mantine/core'
import { basicSetup, EditorView } from 'codemirror'
import { useEffect, useId, useRef } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { buildEditorTheme } from '../../ui/editor-theme.ts'
import { buildCompletionSource } from './completions.ts'
import { buildKnownValues } from './known-values.ts'
import type { Problem } from './problems.ts'
import { policiesTexts as texts } from './texts.ts'

type Warning = Schemas['PolicyWarning']

const TAB_WINDOW_MS = 5_000

interface Props {
  org: string
  text: string
  problems: Problem[]
  warnings: Warning[]
  onChange: (text: string) => void
}

export function YamlEditor({ org, text, problems, warnings, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView>(null)
  const now = useRef({ text, onChange })
  now.current = { text, onChange }
  const isDark = useComputedColorScheme('light') === 'dark'
  const hint = useId()

  useEffect(() => {
    if (!place.current) return
    const view = new EditorView({
      parent: place.current,
      doc: now.current.text,
      extensions: [
        tabLeavesAfterEscape,
        basicSetup,
        buildEditorTheme(isDark),
        lintGutter(),
        keymap.of([indentWithTab]),
        yamlLanguage.data.of({ autocomplete: buildCompletionSource(buildKnownValues(org)) }),
        EditorView.contentAttributes.of({ 'aria-label': texts.edit.text, 'aria-describedby': hint }),
        EditorView.updateListener.of(update => {
          if (update.docChanged) now.current.onChange(update.state.doc.toString())
        }),
      ],
    })
    editor.current = view
    return () => view.destroy()
  }, [org, isDark, hint])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of theme creates a new editor without marks
  useEffect(() => {
    const view = editor.current
    if (!view) return
    const marks = [
      ...problems.map(problem => toErrorMark(view, problem)),
      ...warnings.map(warning => toWarningMark(view, warning)),
    ]
    view.dispatch(setDiagnostics(view.state, marks))
  }, [problems, warnings, isDark])

  return (
    <div>
      <div ref={place} />
      <Text id={hint} size="sm" c="dimmed" mt={4}>
        {texts.edit.keys}
      </Text>
    </div>
  )
}

/**
 * Keeps keyboard users from being trapped. The editor does this itself, except when Escape also closes the suggestions.
 * It must be the first extension, because extensions handle keys in order.
 */
const tabLeavesAfterEscape = EditorView.domEventHandlers({
  keydown: ({ key }, view) => {
    if (key === 'Escape') view.setTabFocusMode(TAB_WINDOW_MS)
    return false
  },
})

/** Marks the rest of the line. The text may have become shorter since it was checked. */
function toErrorMark(view: EditorView, { line, column, message }: Problem): Diagnostic {
  const found = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
  const from = Math.min(found.from + column - 1, found.to)
  return { from, to: found.to, severity: 'error', message }
}

/** Warnings have an expression instead of a line. */
function toWarningMark(view: EditorView, { expression, message }: Warning): Diagnostic {
  const at = view.state.doc.toString().indexOf(expression)
  const from = Math.max(at, 0)
  return { from, to: at < 0 ? 0 : from + expression.length, severity: 'warning', message }
}
