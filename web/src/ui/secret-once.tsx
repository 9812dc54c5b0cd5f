// A secret that is shown now and never again. It lives in the memory of the page and nowhere else.
import { Alert, Code, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Copy } from './command.tsx'
import styles from './text.module.css'

export function SecretOnce({ secret, children }: { secret: string; children?: ReactNode }) {
  return (
    <Alert color="yellow" role="status">
      <Stack gap="xs">
        <Text fw={700}>Copy it now: it is not shown again</Text>
        <Code block className={styles.whole} aria-label="The secret">
          {secret}
        </Code>
        <Group>
          <Copy value={secret} what="the secret" />
        </Group>
        {children && <Text size="sm">{children}</Text>}
      </Stack>
    </Alert>
  )
}
