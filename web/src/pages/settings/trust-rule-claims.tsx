// The claims that a token must have, with their values.
import { Button, CloseButton, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { provisioningTexts as texts } from './texts-provisioning.ts'
import type { RuleDraft } from './trust-rule-draft.ts'

interface ClaimFieldsProps {
  help: string
  form: UseFormReturnType<RuleDraft>
}

export function ClaimFields({ help, form }: ClaimFieldsProps) {
  const { claims } = form.values
  const nextKey = Math.max(-1, ...claims.map(({ key }) => key)) + 1
  return (
    <Fieldset legend={texts.trustRule.claims}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {help}
        </Text>
        {claims.map(({ key, claim }, index) => (
          <Group key={key} align="start">
            <TextInput
              label={texts.trustRule.claim}
              required
              maxLength={255}
              {...form.getInputProps(`claims.${index}.claim`)}
            />
            <TextInput
              label={texts.trustRule.value(claim || texts.trustRule.theClaim)}
              required
              maxLength={1024}
              flex={1}
              miw={180}
              {...form.getInputProps(`claims.${index}.value`)}
            />
            <CloseButton
              mt={26}
              aria-label={texts.trustRule.removeClaim(claim)}
              onClick={() => form.removeListItem('claims', index)}
            />
          </Group>
        ))}
        {form.errors.claims !== undefined && (
          <Text c="red" size="sm" role="alert">
            {form.errors.claims}
          </Text>
        )}
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => form.insertListItem('claims', { key: nextKey, claim: '', value: '' })}
          >
            {texts.trustRule.addClaim}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
