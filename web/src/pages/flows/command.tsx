// A command to copy: what would fill a gap, ready for a shell.
import { Button, Code, CopyButton, Group, Stack } from '@mantine/core'

export function Command({ command }: { command: string }) {
  return (
    <Stack gap={4}>
      <Code block className="fingerprint">
        {command}
      </Code>
      <Group>
        <Copy value={command} what="the command" />
      </Group>
    </Stack>
  )
}

export function Copy({ value, what }: { value: string; what: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="light" onClick={copy} aria-label={`Copy ${what}`}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </CopyButton>
  )
}
