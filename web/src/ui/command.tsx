// A shell command with a button that copies it.
import { Button, Code, CopyButton, Group, Stack } from '@mantine/core'
import { uiTexts as texts } from './texts.ts'

export function Command({ command }: { command: string }) {
  return (
    <Stack gap={4}>
      {/* Focusable, because it may be wider than the page and must scroll by keyboard. */}
      <Code block tabIndex={0}>
        {command}
      </Code>
      <Group>
        <Copy value={command} what={texts.copy.command} />
      </Group>
    </Stack>
  )
}

interface CopyProps {
  value: string
  /** Read out by screen readers, which may not read the text above the button. */
  what: string
  onCopy?: (() => void) | undefined
}

export function Copy({ value, what, onCopy }: CopyProps) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => {
        const verb = copied ? texts.copy.copied : texts.copy.copy
        return (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              copy()
              onCopy?.()
            }}
            aria-label={texts.copy.action(verb, what)}
          >
            {verb}
          </Button>
        )
      }}
    </CopyButton>
  )
}
