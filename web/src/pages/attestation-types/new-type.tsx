// The page that creates a custom attestation type: its schema, its rules and its summary, which can be tried on an example
// before anything is stored.
import { Stack, Textarea, TextInput, Title } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { ForRole } from '../../parts/for-role.tsx'
import { FormWithCommand } from '../../parts/form-with-command.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { buildCommands, findField, INITIAL, validate } from './draft.ts'
import { createType } from './queries.ts'
import { RuleFields, SummaryFields } from './rule-fields.tsx'
import { typeTexts as texts } from './texts.ts'
import { TryType } from './try-type.tsx'

const MAX_NAME = 255

export function NewAttestationTypePage() {
  const { org } = useParams({ from: '/$org/new-attestation-type' })
  return (
    <Stack>
      <Crumbs here={texts.create.title}>
        <PageLink to="/$org/attestations" params={{ org }}>
          {texts.attestations}
        </PageLink>
        <PageLink to="/$org/attestation-types" params={{ org }}>
          {texts.customTypes}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.create.title}</Title>
      <ForRole org={org} minRole="member" what={texts.create.subject}>
        <TypeForm org={org} />
      </ForRole>
    </Stack>
  )
}

function TypeForm({ org }: { org: string }) {
  const navigate = useNavigate()
  const draft = useDraft({
    initial: INITIAL,
    validate,
    send: values => createType(org, values),
    findField,
    notice: (_, { name }) => texts.create.created(name),
    onDone: (_, { name }) => navigate({ to: '/$org/attestation-types/$name', params: { org, name } }),
  })
  const { form } = draft
  return (
    <FormWithCommand draft={draft} action={texts.create.submit} commands={buildCommands(org, form.values)}>
      <TextInput
        label={texts.create.name}
        description={texts.create.nameHint}
        required
        maxLength={MAX_NAME}
        {...form.getInputProps('name')}
      />
      <Textarea
        label={texts.create.description}
        autosize
        minRows={2}
        {...form.getInputProps('description')}
      />
      <Textarea
        label={texts.version.schema}
        description={texts.create.schemaHint}
        autosize
        minRows={4}
        maxRows={20}
        spellCheck={false}
        classNames={{ input: 'fingerprint' }}
        {...form.getInputProps('type_schema')}
      />
      <RuleFields form={form} />
      <SummaryFields form={form} />
      <TryType org={org} values={form.values} onErrors={form.setErrors} />
    </FormWithCommand>
  )
}
