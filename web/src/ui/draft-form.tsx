// The form of a draft: asks before its text is lost, and shows the server's errors that belong to no field.
import { Stack, type StackProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { LeaveGuard } from './leave-guard.tsx'
import { ErrorAlert } from './states.tsx'
import type { Draft } from './use-draft.ts'

interface DraftFormProps<Values> extends Pick<StackProps, 'gap' | 'maw'> {
  draft: Pick<Draft<Values>, 'submit' | 'error' | 'isUnsaved'>
  /** The buttons, below the error. */
  actions?: ReactNode
  children: ReactNode
}

export function DraftForm<Values>({ draft, actions, children, ...stack }: DraftFormProps<Values>) {
  return (
    <form onSubmit={draft.submit} noValidate>
      <LeaveGuard isUnsaved={draft.isUnsaved} />
      <Stack {...stack}>
        {children}
        {draft.error && <ErrorAlert error={draft.error} />}
        {actions}
      </Stack>
    </form>
  )
}
