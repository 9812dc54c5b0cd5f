// The button that opens the account menu. It shows the name of the user.
import { Button, type ButtonProps } from '@mantine/core'
import { IconUser } from '@tabler/icons-react'
import type { ComponentPropsWithRef } from 'react'

export interface AccountProps {
  user: string
  org: string | undefined
  csrf_token: string
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
