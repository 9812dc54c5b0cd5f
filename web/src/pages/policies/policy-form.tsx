// The policy form: the text is validated while it is written, can be tried before saving, and is saved with a comment.
import { Stack, Textarea, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useState } from 'react'
import { loadLater } from '../../live/load-later.ts'
import { findFieldError, readFieldErrors } from '../../ui/field-errors.ts'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { Findings } from './findings.tsx'
import { checkQuery, type Policy, type PolicyInput, savePolicy } from './queries.ts'
import { SavePart } from './save-part.tsx'
import { policiesTexts as texts } from './texts.ts'
import { TryIt } from './try-it.tsx'

const YamlEditor = lazy(() =>
  loadLater(() => import('./yaml-editor.tsx')).then(({ YamlEditor }) => ({ default: YamlEditor })),
)

const TYPING_DELAY_MS = 400
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
  const [input, setInput] = useState(initial)
  const change = (part: Partial<PolicyInput>) => setInput(last => ({ ...last, ...part }))
  const [policy_yaml] = useDebouncedValue(input.policy_yaml, TYPING_DELAY_MS)
  const draft = { org, policy: policy?.name ?? null }
  const check = useQuery({
    ...checkQuery({ ...draft, policy_yaml }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { problems, warnings } = check.data ?? NO_FINDINGS
  const { save, isUnsaved } = useSave(org, initial, input)
  return (
    <Stack
      component="form"
      onSubmit={event => {
        event.preventDefault()
        if (!save.isPending) save.mutate(input)
      }}
    >
      <LeaveGuard isUnsaved={isUnsaved} />
      <About isNew={policy === null} input={input} change={change} error={save.error} />
      <Title order={2} size="h3">
        {texts.edit.rules}
      </Title>
      <Suspense fallback={<Loading rows={6} />}>
        <YamlEditor
          org={org}
          text={input.policy_yaml}
          problems={problems}
          warnings={warnings}
          onChange={changed => change({ policy_yaml: changed })}
        />
      </Suspense>
      <div aria-live="polite">
        {check.error ? (
          <ErrorAlert error={check.error} />
        ) : (
          <Findings problems={problems} warnings={warnings} />
        )}
      </div>
      <TryIt draft={{ ...draft, policy_yaml: input.policy_yaml }} isValid={problems.length === 0} />
      <SavePart
        org={org}
        isValid={problems.length === 0}
        initial={initial}
        input={input}
        change={change}
        save={save}
      />
    </Stack>
  )
}

function useSave(org: string, initial: PolicyInput, input: PolicyInput) {
  const navigate = useNavigate()
  const isSaved = useRef(false)
  const isUnsaved = () =>
    !isSaved.current &&
    (['name', 'description', 'comment', 'policy_yaml'] as const).some(each => input[each] !== initial[each])
  const save = useChange((saved: PolicyInput) => savePolicy(org, saved), {
    onDone: (_, { name, policy_yaml, base_version }) => {
      isSaved.current = true
      // Shows what changed, if there is an older version to compare with.
      const from = base_version !== null && policy_yaml !== initial.policy_yaml ? base_version : undefined
      return navigate({
        to: '/$org/policies/$policy',
        params: { org, policy: name },
        search: from ? { from } : {},
      })
    },
    notice: (_, { name }) => texts.save.saved(name),
  })
  return { save, isUnsaved }
}

interface AboutProps {
  isNew: boolean
  input: PolicyInput
  change: (part: Partial<PolicyInput>) => void
  error: Error | null
}

function About({ isNew, input, change, error }: AboutProps) {
  const errors = readFieldErrors(error)
  return (
    <>
      {isNew && (
        <TextInput
          label={texts.edit.name}
          description={texts.edit.nameHelp}
          required
          maxLength={255}
          maw={480}
          value={input.name}
          error={findFieldError(errors, 'name')}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
      )}
      <Textarea
        label={texts.edit.description}
        description={texts.edit.descriptionHelp}
        autosize
        maw={720}
        value={input.description}
        error={findFieldError(errors, 'description')}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
    </>
  )
}
