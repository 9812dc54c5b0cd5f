// What a page shows when it has nothing to show yet, nothing at all, or something went wrong.
import { Alert, Code, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export function Loading({ rows = 4 }: { rows?: number }) {
  return (
    <Stack aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => `row ${row}`).map(key => (
        <Skeleton key={key} height={36} />
      ))}
    </Stack>
  )
}

/** With the command that would fill it. */
export function Empty({
  title,
  command,
  children,
}: {
  title: string
  command?: string
  children?: ReactNode
}) {
  return (
    <Stack gap="xs" py="xl">
      <Title order={3}>{title}</Title>
      {children && <Text c="dimmed">{children}</Text>}
      {command && (
        // Reached by the keyboard, because it may be wider than the page.
        <Code block tabIndex={0}>
          {command}
        </Code>
      )}
    </Stack>
  )
}

export function Failed({ error }: { error: Error }) {
  return (
    <Alert color="red" title="That did not work" role="alert">
      {error.message}
    </Alert>
  )
}
