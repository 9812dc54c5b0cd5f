// The claims that a token must have, with their values.
import { Button, CloseButton, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import type { FieldErrors } from '../../ui/field-errors.ts'
import { provisioningTexts as texts } from './texts-provisioning.ts'
import { type Claim, isDuplicate } from './trust-rule-draft.ts'

interface ClaimFieldsProps {
  help: string
  claims: Claim[]
  errors: FieldErrors
  onChange: (claims: Claim[]) => void
}

export function ClaimFields({ help, claims, errors, onChange }: ClaimFieldsProps) {
  const change = (key: number, part: Partial<Claim>) =>
    onChange(claims.map(each => (each.key === key ? { ...each, ...part } : each)))
  const nextKey = Math.max(-1, ...claims.map(({ key }) => key)) + 1
  return (
    <Fieldset legend={texts.trustRule.claims}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {help}
        </Text>
        {claims.map(each => (
          <Group key={each.key} align="start" wrap="nowrap">
            <TextInput
              label={texts.trustRule.claim}
              required
              maxLength={255}
              value={each.claim}
              error={isDuplicate(claims, each) && texts.trustRule.duplicateClaim}
              onChange={({ currentTarget }) => change(each.key, { claim: currentTarget.value })}
            />
            <TextInput
              label={texts.trustRule.value(each.claim || texts.trustRule.theClaim)}
              required
              maxLength={1024}
              flex={1}
              value={each.value}
              error={errors[`claims.${each.claim.trim()}`]}
              onChange={({ currentTarget }) => change(each.key, { value: currentTarget.value })}
            />
            <CloseButton
              mt={26}
              aria-label={texts.trustRule.removeClaim(each.claim)}
              onClick={() => onChange(claims.filter(({ key }) => key !== each.key))}
            />
          </Group>
        ))}
        {errors.claims !== undefined && (
          <Text c="red" size="sm" role="alert">
            {errors.claims}
          </Text>
        )}
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onChange([...claims, { key: nextKey, claim: '', value: '' }])}
          >
            {texts.trustRule.addClaim}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
