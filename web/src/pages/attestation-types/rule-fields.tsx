// The rules and the summary of a custom attestation type: lists of jq programs.
import { Button, CloseButton, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { makeKey, type TypeDraft } from './draft.ts'
import { typeTexts as texts } from './texts.ts'

type Form = UseFormReturnType<TypeDraft>
const MAX_PROGRAM = 16_384
const MAX_NAME = 255

export function RuleFields({ form }: { form: Form }) {
  const { rules } = form.values
  return (
    <Fieldset legend={texts.version.rules}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {rules.length === 0 ? texts.version.noRules : texts.create.rulesHint}
        </Text>
        {rules.map(({ key }, index) => (
          <Group key={key} align="start" wrap="nowrap">
            <TextInput
              aria-label={texts.create.rule(index + 1)}
              flex={1}
              maxLength={MAX_PROGRAM}
              spellCheck={false}
              classNames={{ input: 'fingerprint' }}
              {...form.getInputProps(`rules.${index}.program`)}
            />
            <CloseButton
              aria-label={texts.create.removeRule(index + 1)}
              onClick={() => form.removeListItem('rules', index)}
            />
          </Group>
        ))}
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => form.insertListItem('rules', { key: makeKey(rules), program: '' })}
          >
            {texts.create.addRule}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}

export function SummaryFields({ form }: { form: Form }) {
  const { summary } = form.values
  return (
    <Fieldset legend={texts.version.summary}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {texts.create.summaryHint}
        </Text>
        {summary.map(({ key }, index) => (
          <Group key={key} align="start">
            <TextInput
              aria-label={texts.create.summaryName(index + 1)}
              placeholder={texts.create.summaryNamePlaceholder}
              maxLength={MAX_NAME}
              {...form.getInputProps(`summary.${index}.name`)}
            />
            <TextInput
              aria-label={texts.create.summaryExpression(index + 1)}
              placeholder=".percent"
              flex={1}
              maxLength={MAX_PROGRAM}
              spellCheck={false}
              classNames={{ input: 'fingerprint' }}
              {...form.getInputProps(`summary.${index}.expression`)}
            />
            <CloseButton
              aria-label={texts.create.removeSummary(index + 1)}
              onClick={() => form.removeListItem('summary', index)}
            />
          </Group>
        ))}
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() =>
              form.insertListItem('summary', { key: makeKey(summary), name: '', expression: '' })
            }
          >
            {texts.create.addSummary}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
