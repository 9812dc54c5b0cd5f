// The form of a trust rule. The name can only be set on a new rule.

import { Button, Group, Select, TextInput } from '@mantine/core'
import { explainRoles } from '../../parts/use-role.ts'
import { DraftForm } from '../../ui/draft-form.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { OperationsField } from './operations-field.tsx'
import { keylessTexts } from './texts-keyless.ts'
import { provisioningTexts as texts } from './texts-provisioning.ts'
import { ClaimFields } from './trust-rule-claims.tsx'
import type { Privilege, RuleDraft, TrustRule } from './trust-rule-draft.ts'
import { IssuerFields, KeysField } from './trust-rule-issuer.tsx'
import { KINDS } from './trust-rule-kinds.ts'
import { findField, validate } from './validate-trust-rule.ts'

const PRIVILEGES: { value: Privilege; label: string }[] = explainRoles(['reader', 'snapshotter', 'member'])

interface RuleFormProps {
  initial: RuleDraft
  isNew: boolean
  send: (draft: RuleDraft) => Promise<TrustRule>
  notice: (name: string) => string
  onDone?: () => unknown
}

export function RuleForm({ initial, isNew, send, notice, onDone }: RuleFormProps) {
  const { form, ...draft } = useDraft({
    initial,
    required: ['name', 'issuer'],
    validate,
    send,
    findField,
    notice: ({ name }) => notice(name),
    ...(onDone && { onDone }),
  })
  const { pin, hasOwnAudience = false } = KINDS[form.values.issuer_kind]
  return (
    <DraftForm
      draft={draft}
      maw={720}
      actions={
        <Group>
          <Button type="submit" loading={draft.isPending}>
            {isNew ? texts.trustRule.create : texts.trustRule.save}
          </Button>
        </Group>
      }
    >
      {isNew && (
        <TextInput
          label={texts.trustRule.name}
          description={texts.trustRule.nameHelp}
          placeholder={texts.trustRule.nameExample}
          required
          maxLength={255}
          {...form.getInputProps('name')}
        />
      )}
      <TextInput label={texts.trustRule.description} {...form.getInputProps('description')} />
      <IssuerFields form={form} />
      <ClaimFields help={keylessTexts.pin(pin)} form={form} />
      <TextInput
        label={texts.trustRule.audience}
        description={hasOwnAudience ? keylessTexts.ownAudience : texts.trustRule.audienceHelp}
        required={hasOwnAudience}
        maxLength={2048}
        {...form.getInputProps('audience')}
      />
      <KeysField form={form} />
      <Select
        label={texts.trustRule.role}
        data={PRIVILEGES}
        allowDeselect={false}
        {...form.getInputProps('privilege')}
      />
      <OperationsField {...form.getInputProps('operations')} />
      <TextInput
        label={texts.trustRule.flow}
        description={texts.trustRule.flowHelp}
        maxLength={255}
        {...form.getInputProps('flow_name')}
      />
    </DraftForm>
  )
}
