// A secret that is shown once. It exists only in the memory of the page.
import { Alert, Code, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Copy } from './command.tsx'
import styles from './text.module.css'
import { uiTexts as texts } from './texts.ts'

export function SecretOnce({ secret, children }: { secret: string; children?: ReactNode }) {
  return (
    <Alert color="yellow" role="status">
      <Stack gap="xs">
        <Text fw={700}>{texts.secret.title}</Text>
        <Code block className={styles.whole} aria-label={texts.secret.label}>
          {secret}
        </Code>
        <Group>
          <Copy value={secret} what={texts.copy.secret} />
        </Group>
        {children && <Text size="sm">{children}</Text>}
      </Stack>
    </Alert>
  )
}
