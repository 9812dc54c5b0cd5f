// Tries a policy before it is saved: shows whose verdict would change.
import { Alert, Button, Group, MultiSelect, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { environmentsQuery } from '../../parts/queries.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { type Draft, tryDraft } from './queries.ts'
import { policiesTexts as texts } from './texts.ts'
import { TriedResult } from './tried.tsx'

/** The most that the server accepts in one request. */
const MAX_ENVIRONMENTS = 50

export function TryIt({ draft, isValid }: { draft: Draft; isValid: boolean }) {
  const [chosen, setChosen] = useState<string[]>([])
  const environments = useQuery(environmentsQuery(draft.org))
  const attempt = useMutation({
    mutationFn: ({ draft, environments }: { draft: Draft; environments: string[] }) =>
      tryDraft(draft, environments),
  })
  // An environment without reports has nothing to evaluate.
  const choices = (environments.data ?? [])
    .filter(({ type, latest_snapshot_index }) => type === 'logical' || latest_snapshot_index > 0)
    .map(({ name }) => name)
  const isOutdated = attempt.data !== undefined && attempt.variables.draft.policy_yaml !== draft.policy_yaml
  return (
    <Stack component="section" aria-label={texts.tryIt.title}>
      <Title order={2} size="h3">
        {texts.tryIt.title}
      </Title>
      <Text size="sm">{texts.tryIt.help}</Text>
      <Group align="end">
        <MultiSelect
          label={texts.tryIt.environments}
          placeholder={
            chosen.length > 0
              ? undefined
              : draft.policy === null
                ? texts.tryIt.allEnvironments
                : texts.tryIt.attachedEnvironments
          }
          data={choices}
          value={chosen}
          onChange={setChosen}
          maxValues={MAX_ENVIRONMENTS}
          searchable
          clearable
          w={360}
          maw="100%"
        />
        <Button
          variant="light"
          disabled={!isValid}
          loading={attempt.isPending}
          onClick={() => attempt.mutate({ draft, environments: chosen })}
        >
          {texts.tryIt.submit}
        </Button>
      </Group>
      <div aria-live="polite">
        {attempt.error && <ErrorAlert error={attempt.error} />}
        {isOutdated && (
          <Alert color="yellow" mb="sm">
            {texts.tryIt.outdated}
          </Alert>
        )}
        {attempt.data && <TriedResult org={draft.org} tried={attempt.data} />}
      </div>
    </Stack>
  )
}
