// The account button. The menu behind it needs code that no page needs at first, so it is loaded when somebody points
// at the button.
import { Button, type ButtonProps } from '@mantine/core'
import { IconUser } from '@tabler/icons-react'
import { type ComponentPropsWithRef, lazy, Suspense, useState } from 'react'

export interface AccountProps {
  user: string
  org: string | undefined
  csrf_token: string
}

const loadMenu = () => import('./account-menu.tsx')
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

type AccountButtonProps = ButtonProps &
  Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> & { user: string }

export function AccountButton({ user, ...props }: AccountButtonProps) {
  return (
    <Button variant="subtle" color="gray" leftSection={<IconUser size={18} aria-hidden />} px="xs" {...props}>
      {user}
    </Button>
  )
}
