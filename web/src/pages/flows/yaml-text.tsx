// A template as it was sent.
import { Code, Text } from '@mantine/core'

export function YamlText({ text }: { text: string }) {
  if (text.trim() === '') return <Text c="dimmed">The template is empty: nothing is expected.</Text>
  return <Code block>{text}</Code>
}
