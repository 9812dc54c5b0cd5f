// The difference between two versions of a policy: side by side if there is room, unified if not.
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { Text, useComputedColorScheme } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { basicSetup, EditorView } from 'codemirror'
import { useEffect, useRef } from 'react'
import { buildEditorTheme, makeReadOnly } from '../../ui/editor-theme.ts'
import { policiesTexts as texts } from './texts.ts'

const WIDE_SCREEN = '(min-width: 62em)'
const COLLAPSED = { margin: 4, minSize: 8 }

export function TextDiff({ before, after }: { before: string; after: string }) {
  const place = useRef<HTMLDivElement>(null)
  const isDark = useComputedColorScheme('light') === 'dark'
  const hasRoom = useMediaQuery(WIDE_SCREEN, true, { getInitialValueInEffect: false })
  useEffect(() => {
    if (!place.current) return
    const show = hasRoom ? showSideBySide : showUnified
    const view = show(place.current, { before, after, isDark })
    return () => view.destroy()
  }, [before, after, isDark, hasRoom])
  return (
    <>
      {before === after && <Text>{texts.versions.same}</Text>}
      <div ref={place} />
    </>
  )
}

interface Comparison {
  before: string
  after: string
  isDark: boolean
}

function showSideBySide(parent: HTMLElement, { before, after, isDark }: Comparison) {
  const theme = [basicSetup, buildEditorTheme(isDark)]
  return new MergeView({
    parent,
    a: { doc: before, extensions: [makeReadOnly(texts.versions.before), theme] },
    b: { doc: after, extensions: [makeReadOnly(texts.versions.after), theme] },
    collapseUnchanged: COLLAPSED,
  })
}

function showUnified(parent: HTMLElement, { before, after, isDark }: Comparison) {
  return new EditorView({
    parent,
    doc: after,
    extensions: [
      makeReadOnly(texts.versions.changed),
      basicSetup,
      buildEditorTheme(isDark),
      unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: COLLAPSED }),
    ],
  })
}
