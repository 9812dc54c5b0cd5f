// The account button with its menu. No page needs the menu's code at first, so it loads when somebody points
// at the button.
import { lazy, Suspense, useState } from 'react'
import { loadLater } from '../live/load-later.ts'
import { AccountButton, type AccountProps } from './account-button.tsx'

const loadMenu = () => loadLater(() => import('./account-menu.tsx'))
const AccountMenu = lazy(async () => ({ default: (await loadMenu()).AccountMenu }))

export function Account(props: AccountProps) {
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const button = (
    <AccountButton
      user={props.user}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={loadMenu}
      onFocus={loadMenu}
      onClick={() => setIsMenuOpen(true)}
    />
  )
  if (!isMenuOpen) return button
  return (
    <Suspense fallback={button}>
      <AccountMenu {...props} />
    </Suspense>
  )
}
