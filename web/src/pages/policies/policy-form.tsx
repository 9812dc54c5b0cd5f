// Writing a policy: the text is checked while it is written, tried before it is saved, and saved with a comment.
import { Stack, Textarea, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useBlocker, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useState } from 'react'
import { findFieldError, readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { Findings } from './findings.tsx'
import { checkQuery, type Policy, type Saving, savePolicy } from './queries.ts'
import { SavePart } from './save-part.tsx'
import { TryIt } from './try-it.tsx'

const YamlEditor = lazy(() => import('./yaml-editor.tsx').then(({ YamlEditor }) => ({ default: YamlEditor })))

const QUIET_MS = 400
const NOTHING = { problems: [], warnings: [] }
const FIRST_TEXT = `_schema: https://waybill.example/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
`

/** What is there before anything is written. */
function savingFrom(policy: Policy | null): Saving {
  const latest = policy?.versions.at(-1)
  return {
    name: policy?.name ?? '',
    description: policy?.description ?? '',
    comment: '',
    policy_yaml: latest?.policy_yaml ?? FIRST_TEXT,
    begun_at: policy ? (latest?.version ?? 0) : null,
  }
}

export function PolicyForm({ org, policy }: { org: string; policy: Policy | null }) {
  // As it was when the page was opened, whatever is asked for again later.
  const [before] = useState(() => savingFrom(policy))
  const [written, setWritten] = useState(before)
  const change = (part: Partial<Saving>) => setWritten(last => ({ ...last, ...part }))
  const [policy_yaml] = useDebouncedValue(written.policy_yaml, QUIET_MS)
  const draft = { org, policy: policy?.name ?? null }
  const check = useQuery({
    ...checkQuery({ ...draft, policy_yaml }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { problems, warnings } = check.data ?? NOTHING
  const saving = useSaving(org, before, written)
  return (
    <Stack
      component="form"
      onSubmit={event => {
        event.preventDefault()
        if (!saving.isPending) saving.mutate(written)
      }}
    >
      <About isNew={policy === null} written={written} change={change} error={saving.error} />
      <Title order={2} size="h3">
        Rules
      </Title>
      <Suspense fallback={<Loading rows={6} />}>
        <YamlEditor
          org={org}
          text={written.policy_yaml}
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
      <TryIt draft={{ ...draft, policy_yaml: written.policy_yaml }} isValid={problems.length === 0} />
      <SavePart
        org={org}
        isValid={problems.length === 0}
        before={before}
        written={written}
        change={change}
        saving={saving}
      />
    </Stack>
  )
}

/** Leaving with something unsaved asks first; leaving because it was saved does not. */
function useSaving(org: string, before: Saving, written: Saving) {
  const navigate = useNavigate()
  const isSaved = useRef(false)
  const isUnsaved = () =>
    !isSaved.current &&
    (['name', 'description', 'comment', 'policy_yaml'] as const).some(each => written[each] !== before[each])
  useBlocker({
    shouldBlockFn: () => isUnsaved() && !window.confirm('Leave without saving what you have written?'),
    enableBeforeUnload: isUnsaved,
  })
  return useChange((saved: Saving) => savePolicy(org, saved), {
    onDone: (_, { name, policy_yaml, begun_at }) => {
      isSaved.current = true
      // To what has changed, where there is something to compare with.
      const from = begun_at !== null && policy_yaml !== before.policy_yaml ? begun_at : undefined
      return navigate({
        to: '/$org/policies/$policy',
        params: { org, policy: name },
        search: from ? { from } : {},
      })
    },
    notice: 'Saved',
  })
}

interface AboutProps {
  isNew: boolean
  written: Saving
  change: (part: Partial<Saving>) => void
  error: Error | null
}

function About({ isNew, written, change, error }: AboutProps) {
  const errors = readFieldErrors(error)
  return (
    <>
      {isNew && (
        <TextInput
          label="Name"
          description="Letters, digits and - . _ ~. It never changes."
          required
          maxLength={255}
          maw={480}
          value={written.name}
          error={findFieldError(errors, 'name')}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
      )}
      <Textarea
        label="Description"
        description="What the policy is for"
        autosize
        maw={720}
        value={written.description}
        error={findFieldError(errors, 'description')}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
    </>
  )
}
