// Who one is, and what one can do about it. The menu is loaded when somebody hasRole for it: it needs much that no page
// needs at first.
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
  const [isWanted, setIsWanted] = useState(false)
  const button = (
    <AccountButton
      user={props.user}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={loadMenu}
      onFocus={loadMenu}
      onClick={() => setIsWanted(true)}
    />
  )
  if (!isWanted) return button
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
