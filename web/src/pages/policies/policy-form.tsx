// The policy form: the text is validated while it is written, can be tried before saving, and is saved with a comment.
import { Textarea, TextInput, Title } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { loadLater } from '../../live/load-later.ts'
import { buildApiPath, buildCurl, buildWaybill } from '../../parts/curl.ts'
import { CommandCard, type Commands } from '../../parts/form-with-command.tsx'
import { DraftForm } from '../../ui/draft-form.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { Findings } from './findings.tsx'
import { checkQuery, type Policy, type PolicyInput, savePolicy } from './queries.ts'
import { SavePart } from './save-part.tsx'
import { policiesTexts as texts } from './texts.ts'
import { TryIt } from './try-it.tsx'

const YamlEditor = lazy(() =>
  loadLater(() => import('./yaml-editor.tsx')).then(({ YamlEditor }) => ({ default: YamlEditor })),
)

const TYPING_DELAY_MS = 400
const RULES_FILE = 'policy.yml'
const NO_FINDINGS = { problems: [], warnings: [] }
const INITIAL_TEXT = `_schema: https://waybill.example/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
`

function toInput(policy: Policy | null): PolicyInput {
  const latest = policy?.versions.at(-1)
  return {
    name: policy?.name ?? '',
    description: policy?.description ?? '',
    comment: '',
    policy_yaml: latest?.policy_yaml ?? INITIAL_TEXT,
    base_version: policy ? (latest?.version ?? 0) : null,
  }
}

export function PolicyForm({ org, policy }: { org: string; policy: Policy | null }) {
  // Refetches must not change what the edit is compared with.
  const [initial] = useState(() => toInput(policy))
  const { form, ...draft } = usePolicyDraft(org, initial)
  const [policy_yaml] = useDebouncedValue(form.values.policy_yaml, TYPING_DELAY_MS)
  const subject = { org, policy: policy?.name ?? null }
  const check = useQuery({
    ...checkQuery({ ...subject, policy_yaml }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { problems, warnings } = check.data ?? NO_FINDINGS
  return (
    <DraftForm
      // The last part of the form shows its own errors.
      draft={{ ...draft, error: null }}
      actions={
        <>
          <SavePart
            org={org}
            isValid={problems.length === 0}
            initial={initial}
            form={form}
            isPending={draft.isPending}
            error={draft.error}
            onSubmit={draft.submit}
          />
          <CommandCard commands={buildCommands(org, form.values)} />
        </>
      }
    >
      <About isNew={policy === null} form={form} />
      <Title order={2} size="h3">
        {texts.edit.rules}
      </Title>
      <Suspense fallback={<Loading rows={6} />}>
        <YamlEditor
          org={org}
          text={form.values.policy_yaml}
          problems={problems}
          warnings={warnings}
          onChange={changed => form.setFieldValue('policy_yaml', changed)}
        />
      </Suspense>
      <div aria-live="polite">
        {check.error ? (
          <ErrorAlert error={check.error} />
        ) : (
          <Findings problems={problems} warnings={warnings} />
        )}
      </div>
      <TryIt draft={{ ...subject, policy_yaml: form.values.policy_yaml }} isValid={problems.length === 0} />
    </DraftForm>
  )
}

function buildCommands(org: string, values: PolicyInput): Commands {
  const { description, comment, policy_yaml } = values
  const name = values.name || 'NAME'
  const about = description === '' ? [] : ['--description', description]
  const words = ['create', 'policy', name, RULES_FILE, ...about, '--comment', comment || 'COMMENT']
  return {
    waybill: buildWaybill(words, org),
    curl: buildCurl('PUT', buildApiPath('policies', org, name), { description, comment, policy_yaml }),
    note: texts.save.fileNote(RULES_FILE),
  }
}

function usePolicyDraft(org: string, initial: PolicyInput) {
  const navigate = useNavigate()
  return useDraft({
    initial,
    send: values => savePolicy(org, values),
    notice: (_, { name }) => texts.save.saved(name),
    onDone: (_, { name, policy_yaml, base_version }) => {
      // Shows what changed, if there is an older version to compare with.
      const from = base_version !== null && policy_yaml !== initial.policy_yaml ? base_version : undefined
      return navigate({
        to: '/$org/policies/$policy',
        params: { org, policy: name },
        search: from ? { from } : {},
      })
    },
  })
}

function About({ isNew, form }: { isNew: boolean; form: UseFormReturnType<PolicyInput> }) {
  return (
    <>
      {isNew && (
        <TextInput
          label={texts.edit.name}
          description={texts.edit.nameHelp}
          required
          maxLength={255}
          maw={480}
          {...form.getInputProps('name')}
        />
      )}
      <Textarea
        label={texts.edit.description}
        description={texts.edit.descriptionHelp}
        autosize
        maw={720}
        {...form.getInputProps('description')}
      />
    </>
  )
}
