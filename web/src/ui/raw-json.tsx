// JSON as it is. It scrolls, so the keyboard hasRole it.
import { Code, ScrollArea } from '@mantine/core'

export function RawJson({ value }: { value: unknown }) {
  return (
    <ScrollArea.Autosize mah={480} viewportProps={{ tabIndex: 0 }}>
      <Code block>{JSON.stringify(value, null, 2)}</Code>
    </ScrollArea.Autosize>
  )
}
