// Why the log is not signed, what that means, and how to fix it.
import { Alert, Stack, Text } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { Command } from '../../ui/command.tsx'
import { proofTexts as texts } from './texts.ts'

interface ProblemProps {
  org: string
  status: Schemas['LogStatus']
}

export function ProblemAlert({ org, status: { state, problem } }: ProblemProps) {
  if (state === 'frozen') {
    return (
      // Without this minimum width, a command wider than a phone would widen the alert instead of scrolling.
      <Alert color="red" title={texts.frozen.title} role="alert" styles={{ body: { minWidth: 0 } }}>
        <Stack gap="xs">
          <Text size="sm">{texts.frozen.meaning}</Text>
          <Text size="sm">{texts.frozen.found(problem ?? '')}</Text>
          <Text size="sm">{texts.frozen.help}</Text>
          <Command command={texts.frozen.command(org)} />
          <Text size="sm">{texts.frozen.keep}</Text>
        </Stack>
      </Alert>
    )
  }
  if (state === 'unanchored') {
    return (
      <Alert color="orange" title={texts.unanchored.title} role="alert">
        <Stack gap="xs">
          <Text size="sm">{texts.unanchored.found(problem ?? '')}</Text>
          <Text size="sm">{texts.unanchored.help}</Text>
        </Stack>
      </Alert>
    )
  }
  return null
}
