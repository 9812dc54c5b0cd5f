// What a token must say: any number of claims with their values.
import { Button, CloseButton, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import type { FieldErrors } from '../../ui/field-errors.ts'
import { type Claim, isTwice } from './trust-rule-draft.ts'

interface ClaimFieldsProps {
  claims: Claim[]
  errors: FieldErrors
  onChange: (claims: Claim[]) => void
}

export function ClaimFields({ claims, errors, onChange }: ClaimFieldsProps) {
  const change = (key: number, part: Partial<Claim>) =>
    onChange(claims.map(each => (each.key === key ? { ...each, ...part } : each)))
  const nextKey = Math.max(-1, ...claims.map(({ key }) => key)) + 1
  return (
    <Fieldset legend="What a token must say">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          One claim pins the repository by its number: repository_id or project_id. Branches, environments and
          workflows may end in *.
        </Text>
        {claims.map(each => (
          <Group key={each.key} align="start" wrap="nowrap">
            <TextInput
              label="Claim"
              required
              maxLength={255}
              value={each.claim}
              error={isTwice(claims, each) && 'This claim is there twice'}
              onChange={({ currentTarget }) => change(each.key, { claim: currentTarget.value })}
            />
            <TextInput
              label={`Value of ${each.claim || 'the claim'}`}
              required
              maxLength={1024}
              flex={1}
              value={each.value}
              error={errors[`claims.${each.claim.trim()}`]}
              onChange={({ currentTarget }) => change(each.key, { value: currentTarget.value })}
            />
            <CloseButton
              mt={26}
              aria-label={`Remove the claim ${each.claim}`}
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
            Add a claim
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
