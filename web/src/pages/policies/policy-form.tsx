// Writing a policy: the text is checked while it is written, tried before it is saved, and saved with a comment.
import { Alert, Button, Group, List, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useBlocker, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useState } from 'react'
import { Failed, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { checkQuery, createPolicy, savePolicy } from './queries.ts'
import { TryIt } from './try-it.tsx'

const YamlEditor = lazy(() => import('./yaml-editor.tsx').then(({ YamlEditor }) => ({ default: YamlEditor })))

const QUIET_MS = 400
const NOTHING = { problems: [], warnings: [] }

interface Props {
  org: string
  /** Null for one that is new. */
  policy: string | null
  description: string
  text: string
}

export function PolicyForm({ org, policy, description, text }: Props) {
  const [written, setWritten] = useState({ name: policy ?? '', description, comment: '', policy_yaml: text })
  const change = (part: Partial<typeof written>) => setWritten(before => ({ ...before, ...part }))
  const [policy_yaml] = useDebouncedValue(written.policy_yaml, QUIET_MS)
  const check = useQuery({
    ...checkQuery({ org, policy, policy_yaml }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { problems, warnings } = check.data ?? NOTHING
  const isChanged = written.policy_yaml !== text || written.description !== description
  const saving = useSaving({ org, policy, isChanged })
  return (
    <Stack
      component="form"
      onSubmit={event => {
        event.preventDefault()
        saving.mutate(written)
      }}
    >
      <About isNew={policy === null} written={written} change={change} />
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
        {check.error ? <Failed error={check.error} /> : <Findings problems={problems} warnings={warnings} />}
      </div>
      <TryIt draft={{ org, policy, policy_yaml: written.policy_yaml }} isValid={problems.length === 0} />
      <Title order={2} size="h3">
        Save
      </Title>
      <TextInput
        label="Comment"
        description="Why the rules change. It stays with the version."
        required
        maxLength={65_536}
        value={written.comment}
        onChange={({ currentTarget }) => change({ comment: currentTarget.value })}
      />
      {saving.error && <Failed error={saving.error} />}
      <Group>
        <Button
          type="submit"
          loading={saving.isPending}
          disabled={problems.length > 0 || !isSavable(written)}
        >
          {policy === null ? 'Create' : 'Save a new version'}
        </Button>
        {!isChanged && policy !== null && <Text c="dimmed">Nothing is changed yet.</Text>}
      </Group>
    </Stack>
  )
}

interface Written {
  name: string
  description: string
  comment: string
  policy_yaml: string
}

const isSavable = ({ name, comment }: Written) => name.trim() !== '' && comment.trim() !== ''

/** Leaving with something unsaved asks first; leaving because it was saved does not. */
function useSaving({ org, policy, isChanged }: { org: string; policy: string | null; isChanged: boolean }) {
  const navigate = useNavigate()
  const isSaved = useRef(false)
  useBlocker({
    shouldBlockFn: () =>
      isChanged && !isSaved.current && !window.confirm('Leave without saving what you have written?'),
    enableBeforeUnload: () => isChanged && !isSaved.current,
  })
  return useChange((written: Written) => (policy === null ? createPolicy : savePolicy)(org, written), {
    done: (_, { name }) => {
      isSaved.current = true
      return navigate({ to: '/$org/policies/$policy', params: { org, policy: name } })
    },
    said: 'Saved',
  })
}

interface AboutProps {
  isNew: boolean
  written: Written
  change: (part: Partial<Written>) => void
}

function About({ isNew, written, change }: AboutProps) {
  return (
    <>
      {isNew && (
        <TextInput
          label="Name"
          required
          maxLength={255}
          maw={480}
          value={written.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
      )}
      <Textarea
        label="Description"
        description="What the policy is for"
        autosize
        maw={720}
        value={written.description}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
    </>
  )
}

function Findings({ problems, warnings }: { problems: Found[]; warnings: Found[] }) {
  if (problems.length + warnings.length === 0)
    return (
      <Text size="sm" c="dimmed">
        The text is valid. Ctrl-Space shows what can be written.
      </Text>
    )
  const title = problems.length > 0 ? 'The text is not valid yet' : 'Probably not what was meant'
  return (
    <Alert color={problems.length > 0 ? 'red' : 'yellow'} title={title}>
      <List size="sm">
        {[...problems, ...warnings].map(found => (
          <List.Item key={`${found.line ?? found.field} ${found.column} ${found.message}`}>
            {found.line === undefined ? found.field : `Line ${found.line}, column ${found.column}`}:{' '}
            {found.message}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** A problem has a line; a warning has the field it is in. */
interface Found {
  line?: number
  field?: string
  column: number
  message: string
}
