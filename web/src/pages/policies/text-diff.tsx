// Two texts of a policy: beside each other where there is room, one in the other where there is not.
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { Text, useComputedColorScheme } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { basicSetup, EditorView } from 'codemirror'
import { useEffect, useRef } from 'react'
import { buildEditorTheme, makeReadOnly } from '../../ui/editor-theme.ts'

const ROOM_FOR_TWO = '(min-width: 62em)'
const COLLAPSED = { margin: 4, minSize: 8 }

export function TextDiff({ before, after }: { before: string; after: string }) {
  const place = useRef<HTMLDivElement>(null)
  const isDark = useComputedColorScheme('light') === 'dark'
  const hasRoom = useMediaQuery(ROOM_FOR_TWO, true, { getInitialValueInEffect: false })
  useEffect(() => {
    if (!place.current) return
    const show = hasRoom ? besideEachOther : inOneAnother
    const view = show(place.current, { before, after, isDark })
    return () => view.destroy()
  }, [before, after, isDark, hasRoom])
  return (
    <>
      {before === after && <Text>The two texts are the same.</Text>}
      <div ref={place} />
    </>
  )
}

interface Compared {
  before: string
  after: string
  isDark: boolean
}

function besideEachOther(parent: HTMLElement, { before, after, isDark }: Compared) {
  const look = [basicSetup, buildEditorTheme(isDark)]
  return new MergeView({
    parent,
    a: { doc: before, extensions: [makeReadOnly('Text before'), look] },
    b: { doc: after, extensions: [makeReadOnly('Text after'), look] },
    collapseUnchanged: COLLAPSED,
  })
}

function inOneAnother(parent: HTMLElement, { before, after, isDark }: Compared) {
  return new EditorView({
    parent,
    doc: after,
    extensions: [
      makeReadOnly('What changed'),
      basicSetup,
      buildEditorTheme(isDark),
      unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: COLLAPSED }),
    ],
  })
}
