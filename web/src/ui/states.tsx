// What a page shows when it has nothing to show yet, nothing at all, or something went wrong. Every page has it, so it is
// made of little.
import { Alert, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Command } from './command.tsx'
import { readFieldErrors } from './field-errors.ts'

interface LoadingProps {
  /** What is loading, for those who do not see it. */
  label?: string
  rows?: number
  height?: number
}

/** As high as what will be there, so that nothing jumps. */
export function Loading({ label = 'Loading', rows = 4, height = 36 }: LoadingProps) {
  return (
    <Stack role="status" aria-busy="true" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => `row ${row}`).map(key => (
        <Skeleton key={key} height={height} />
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
      <Title order={2} size="h3">
        {title}
      </Title>
      {children && <Text c="dimmed">{children}</Text>}
      {command && <Command command={command} />}
    </Stack>
  )
}

/** The sentence of the server, and what it says about single fields. */
export function ErrorAlert({ error }: { error: Error }) {
  const errors = Object.entries(readFieldErrors(error))
  return (
    <Alert color="red" title="That did not work" role="alert">
      {error.message}
      {errors.length > 0 && (
        <ul>
          {errors.map(([field, sentence]) => (
            <li key={field}>
              {field}: {sentence}
            </li>
          ))}
        </ul>
      )}
    </Alert>
  )
}
