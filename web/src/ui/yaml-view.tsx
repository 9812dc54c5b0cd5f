// A read-only editor.
import { useComputedColorScheme } from '@mantine/core'
import { basicSetup, EditorView } from 'codemirror'
import { useLayoutEffect, useRef } from 'react'
import { buildEditorTheme, makeReadOnly } from './editor-theme.ts'

export function YamlView({ text, label }: { text: string; label: string }) {
  const place = useRef<HTMLDivElement>(null)
  const isDark = useComputedColorScheme('light') === 'dark'
  // Before the browser paints: without the editor the place is empty.
  useLayoutEffect(() => {
    if (!place.current) return
    const view = new EditorView({
      parent: place.current,
      doc: text,
      extensions: [makeReadOnly(label), basicSetup, buildEditorTheme(isDark)],
    })
    return () => view.destroy()
  }, [text, label, isDark])
  return <div ref={place} />
}
