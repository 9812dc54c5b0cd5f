// The editor of a policy: highlighting, completion, and what the server finds wrong marked where it is.
import { indentWithTab } from '@codemirror/commands'
import { yamlLanguage } from '@codemirror/lang-yaml'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { keymap } from '@codemirror/view'
import { Text, useComputedColorScheme } from '@mantine/core'
import { basicSetup, EditorView } from 'codemirror'
import { useEffect, useId, useRef } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { buildEditorTheme } from '../../ui/editor-theme.ts'
import { policyCompletions } from './completions.ts'
import { knownValues } from './known-values.ts'
import type { Problem } from './problems.ts'

type Warning = Schemas['PolicyWarning']

const TIME_FOR_TAB_MS = 5_000

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
        yamlLanguage.data.of({ autocomplete: policyCompletions(knownValues(org)) }),
        EditorView.contentAttributes.of({ 'aria-label': 'Text of the policy', 'aria-describedby': hint }),
        EditorView.updateListener.of(update => {
          if (update.docChanged) now.current.onChange(update.state.doc.toString())
        }),
      ],
    })
    editor.current = view
    return () => view.destroy()
  }, [org, isDark, hint])

  // biome-ignore lint/correctness/useExhaustiveDependencies: an editor in other colours is another one, without marks
  useEffect(() => {
    const view = editor.current
    if (!view) return
    const marks = [
      ...problems.map(problem => markOf(view, problem)),
      ...warnings.map(warning => warningMark(view, warning)),
    ]
    view.dispatch(setDiagnostics(view.state, marks))
  }, [problems, warnings, isDark])

  return (
    <div>
      <div ref={place} />
      <Text id={hint} size="sm" c="dimmed" mt={4}>
        Ctrl-Space shows what can be written. Tab indents; Escape and then Tab leaves the text.
      </Text>
    </div>
  )
}

/**
 * Nobody is caught in the editor. It does the same by itself, but not when Escape also closes a list of what can be
 * written. First among the extensions, because what comes first hears of a key first.
 */
const tabLeavesAfterEscape = EditorView.domEventHandlers({
  keydown: ({ key }, view) => {
    if (key === 'Escape') view.setTabFocusMode(TIME_FOR_TAB_MS)
    return false
  },
})

/** From the place to the end of its line. The text may have become shorter meanwhile. */
function markOf(view: EditorView, { line, column, message }: Problem): Diagnostic {
  const found = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
  const from = Math.min(found.from + column - 1, found.to)
  return { from, to: found.to, severity: 'error', message }
}

/** A warning names an expression, not a line. */
function warningMark(view: EditorView, { expression, message }: Warning): Diagnostic {
  const at = view.state.doc.toString().indexOf(expression)
  const from = Math.max(at, 0)
  return { from, to: at < 0 ? 0 : from + expression.length, severity: 'warning', message }
}
