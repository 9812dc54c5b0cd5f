// A template as it was sent.
import { Text } from '@mantine/core'
import { YamlText } from '../../ui/yaml-text.tsx'

export function TemplateText({ text }: { text: string }) {
  if (text.trim() === '') return <Text c="dimmed">The template is empty: nothing is expected.</Text>
  return <YamlText text={text} label="Text of the template" />
}
