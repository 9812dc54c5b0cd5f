// A secret that is shown once. It exists only in the page's memory.
import { Alert, Code, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Copy } from './command.tsx'
import styles from './text.module.css'
import { uiTexts as texts } from './texts.ts'

interface SecretOnceProps {
  secret: string
  /** Called when the secret was copied with the button, or selected by hand. */
  onCopy?: () => void
  children?: ReactNode
}

export function SecretOnce({ secret, onCopy, children }: SecretOnceProps) {
  return (
    <Alert color="yellow" role="status">
      <Stack gap="xs">
        <Text fw={700}>{texts.secret.title}</Text>
        <Code block className={styles.whole} aria-label={texts.secret.label} onCopy={onCopy}>
          {secret}
        </Code>
        <Group>
          <Copy value={secret} what={texts.copy.secret} onCopy={onCopy} />
        </Group>
        {children && <Text size="sm">{children}</Text>}
      </Stack>
    </Alert>
  )
}
