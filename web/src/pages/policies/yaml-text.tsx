// The text of a policy, to be read.
import { useComputedColorScheme } from '@mantine/core'
import { basicSetup, EditorView } from 'codemirror'
import { useEffect, useRef } from 'react'
import { editorLook, readOnly } from './editor-look.ts'

export function YamlText({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null)
  const isDark = useComputedColorScheme('light') === 'dark'
  useEffect(() => {
    if (!place.current) return
    const view = new EditorView({
      parent: place.current,
      doc: text,
      extensions: [readOnly('Text of the policy'), basicSetup, editorLook(isDark)],
    })
    return () => view.destroy()
  }, [text, isDark])
  return <div ref={place} />
}
