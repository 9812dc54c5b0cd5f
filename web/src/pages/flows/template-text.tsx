// The YAML of a template as it was sent.
import { Text } from '@mantine/core'
import { YamlText } from '../../ui/yaml-text.tsx'
import { flowTexts as texts } from './texts.ts'

export function TemplateText({ text }: { text: string }) {
  if (text.trim() === '') return <Text c="dimmed">{texts.template.empty}</Text>
  return <YamlText text={text} label={texts.template.label} />
}
