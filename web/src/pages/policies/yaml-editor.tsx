// The editor of a policy: highlighting, completion, and what the server finds wrong marked where it is.
import { yamlLanguage } from '@codemirror/lang-yaml'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { useComputedColorScheme } from '@mantine/core'
import { basicSetup, EditorView } from 'codemirror'
import { useEffect, useRef } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { editorLook } from '../../ui/editor-look.ts'
import { policyCompletions } from './completions.ts'
import type { Problem } from './problems.ts'
import { findControls } from './queries.ts'

type Warning = Schemas['PolicyWarning']

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

  useEffect(() => {
    if (!place.current) return
    const view = new EditorView({
      parent: place.current,
      doc: now.current.text,
      extensions: [
        basicSetup,
        editorLook(isDark),
        lintGutter(),
        yamlLanguage.data.of({ autocomplete: policyCompletions(search => findControls(org, search)) }),
        EditorView.contentAttributes.of({ 'aria-label': 'Text of the policy' }),
        EditorView.updateListener.of(update => {
          if (update.docChanged) now.current.onChange(update.state.doc.toString())
        }),
      ],
    })
    editor.current = view
    return () => view.destroy()
  }, [org, isDark])

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

  return <div ref={place} />
}

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
