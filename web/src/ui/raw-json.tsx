// JSON as it was received, in a box that scrolls by keyboard.
import { Code, ScrollArea } from '@mantine/core'

export function RawJson({ value }: { value: unknown }) {
  return (
    <ScrollArea.Autosize mah={480} viewportProps={{ tabIndex: 0 }}>
      <Code block>{JSON.stringify(value, null, 2)}</Code>
    </ScrollArea.Autosize>
  )
}
