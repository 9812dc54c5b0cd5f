// The keyboard shortcuts of an organization: `g` and a letter open a page, `?` lists all of them. They are
// off while somebody types, or while a dialog is open.
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { loadLater } from '../live/load-later.ts'
import { useOpenPages } from './use-open-pages.ts'

const GO = 'g'
const HELP = '?'
const FIELDS = 'input, textarea, select, [contenteditable="true"]'
const DIALOG = '[role="dialog"], [role="menu"]'

const ShortcutsDialog = lazy(async () => ({
  default: (await loadLater(() => import('./shortcuts-dialog.tsx'))).ShortcutsDialog,
}))

export function Shortcuts({ org }: { org: string }) {
  const pages = useOpenPages(org)
  const navigate = useNavigate()
  const [opened, setOpened] = useState<boolean>()
  const isGoing = useRef(false)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // Shift alone does not change the meaning.
      if (event.key === 'Shift') return
      const wasGoing = isGoing.current
      isGoing.current = isForShortcuts(event) && !wasGoing && event.key === GO
      if (!isForShortcuts(event)) return
      if (event.key === HELP) setOpened(true)
      const page = wasGoing ? pages.find(({ key }) => key === event.key) : undefined
      if (page) void navigate({ to: page.to, params: { org } })
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  })
  if (opened === undefined) return null
  return (
    <Suspense>
      <ShortcutsDialog pages={pages} opened={opened} onClose={() => setOpened(false)} />
    </Suspense>
  )
}

function isForShortcuts({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isTyping = target instanceof Element && target.closest(FIELDS) !== null
  return !isTyping && !ctrlKey && !metaKey && !altKey && document.querySelector(DIALOG) === null
}
