// Which environments and artifacts would be judged differently if the text were saved.
import { Alert, Button, Group, MultiSelect, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { environmentsQuery } from '../../parts/queries.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { type Draft, tryDraft } from './queries.ts'
import { TriedResult } from './tried.tsx'

/** The server takes no more at once. */
const MOST_ENVIRONMENTS = 50

export function TryIt({ draft, isValid }: { draft: Draft; isValid: boolean }) {
  const [chosen, setChosen] = useState<string[]>([])
  const environments = useQuery(environmentsQuery(draft.org))
  const trying = useMutation({
    mutationFn: ({ draft, environments }: { draft: Draft; environments: string[] }) =>
      tryDraft(draft, environments),
  })
  // What was never reported cannot be tried on.
  const choices = (environments.data ?? [])
    .filter(({ type, latest_snapshot_index }) => type === 'logical' || latest_snapshot_index > 0)
    .map(({ name }) => name)
  const isOutdated = trying.data !== undefined && trying.variables.draft.policy_yaml !== draft.policy_yaml
  return (
    <Stack component="section" aria-label="Try it">
      <Title order={2} size="h3">
        Try it
      </Title>
      <Text size="sm">See what would change for everything that runs now. Nothing is stored.</Text>
      <Group align="end">
        <MultiSelect
          label="Environments"
          placeholder={
            chosen.length > 0
              ? undefined
              : draft.policy === null
                ? 'All of them'
                : 'Those the policy is attached to'
          }
          data={choices}
          value={chosen}
          onChange={setChosen}
          maxValues={MOST_ENVIRONMENTS}
          searchable
          clearable
          w={360}
          maw="100%"
        />
        <Button
          variant="light"
          disabled={!isValid}
          loading={trying.isPending}
          onClick={() => trying.mutate({ draft, environments: chosen })}
        >
          Try it
        </Button>
      </Group>
      <div aria-live="polite">
        {trying.error && <ErrorAlert error={trying.error} />}
        {isOutdated && (
          <Alert color="yellow" mb="sm">
            The text has changed since it was tried.
          </Alert>
        )}
        {trying.data && <TriedResult org={draft.org} tried={trying.data} />}
      </div>
    </Stack>
  )
}
