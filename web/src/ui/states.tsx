// The loading, empty and error states of every page. Every page loads this file, so it is small.
import { Alert, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconFileDots } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Command } from './command.tsx'
import { readFieldErrors } from './field-errors.ts'
import styles from './states.module.css'
import { uiTexts as texts } from './texts.ts'

const SIGN_SIZE = 32
const BAR_HEIGHT = 12
/** The widths of a row's bars: a name, a state, a time. */
const WIDTHS = ['38%', '16%', '22%']

interface LoadingProps {
  /** Names what is loading, for screen readers. */
  label?: string
  rows?: number
  height?: number
}

/** Looks like the rows to come and is as tall, so that the layout does not shift. */
export function Loading({ label = texts.loading, rows = 4, height = 36 }: LoadingProps) {
  return (
    <Stack role="status" aria-busy="true" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => `row ${row}`).map(key => (
        <Group key={key} h={height} wrap="nowrap" className={styles.waiting}>
          {WIDTHS.map(width => (
            <Skeleton key={width} height={BAR_HEIGHT} width={width} />
          ))}
        </Group>
      ))}
    </Stack>
  )
}

/** Explains what would be here and, with `command`, how to get it. */
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
    <Group className={styles.empty} align="start" wrap="nowrap">
      <IconFileDots className={styles.sign} size={SIGN_SIZE} stroke={1.4} aria-hidden="true" />
      <Stack gap="xs" className={styles.message}>
        <Title order={2} size="h3">
          {title}
        </Title>
        {children && <Text c="dimmed">{children}</Text>}
        {command && <Command command={command} />}
      </Stack>
    </Group>
  )
}

/** Shows the server's message and its errors for single fields. */
export function ErrorAlert({ error }: { error: Error }) {
  const errors = Object.entries(readFieldErrors(error))
  return (
    <Alert color="red" title={texts.error.title} role="alert">
      {describe(error)}
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

/** `fetch` throws a TypeError when there is no connection, with a different message in every browser. */
const describe = (error: Error) => (error instanceof TypeError ? texts.error.unreachable : error.message)
