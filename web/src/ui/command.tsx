// A command to copy: what would fill a gap, ready for a shell.
import { Button, Code, CopyButton, Group, Stack } from '@mantine/core'

export function Command({ command }: { command: string }) {
  return (
    <Stack gap={4}>
      {/* Reached by the keyboard, because it may be wider than the page. */}
      <Code block tabIndex={0}>
        {command}
      </Code>
      <Group>
        <Copy value={command} what="the command" />
      </Group>
    </Stack>
  )
}

/** `what` is for those who hear the button without what is above it. */
export function Copy({ value, what }: { value: string; what: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => {
        const word = copied ? 'Copied' : 'Copy'
        return (
          <Button size="compact-xs" variant="default" onClick={copy} aria-label={`${word} ${what}`}>
            {word}
          </Button>
        )
      }}
    </CopyButton>
  )
}
