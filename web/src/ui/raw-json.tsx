// JSON as it is.
import { Code, ScrollArea } from '@mantine/core'

export function RawJson({ value }: { value: unknown }) {
  return (
    <ScrollArea.Autosize mah={480}>
      <Code block>{JSON.stringify(value, null, 2)}</Code>
    </ScrollArea.Autosize>
  )
}
