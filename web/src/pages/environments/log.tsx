// What happened in an environment, with filters in the address and the whole of it as a file.
import { Anchor, Button, Group, Pagination, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { LogTable } from './log-table.tsx'
import { type Place, startOfDay, useChangeSearch } from './place.ts'
import { type EventFilter, eventsQuery } from './queries.ts'

function filterOf({ search }: Place): EventFilter {
  return {
    page: search.page ?? 1,
    ...(search.from && { from: startOfDay(search.from, 0) }),
    ...(search.to && { to: startOfDay(search.to, 1) }),
    ...(search.repo && { repo_name: [search.repo] }),
    ...(search.oldest_first && { reverse: true }),
  }
}

export function LogTab({ place }: { place: Place }) {
  const change = useChangeSearch()
  const filter = filterOf(place)
  const log = useQuery(eventsQuery(place.org, place.environment, filter))
  return (
    <Stack>
      <LogFilters place={place} />
      {log.isPending ? (
        <Loading rows={8} />
      ) : log.error ? (
        <Failed error={log.error} />
      ) : log.data.events.length === 0 ? (
        <NothingHappened />
      ) : (
        <>
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              {log.data.total_count} events
            </Text>
            <Anchor href={csvAddress(place, filter)} download>
              Download as CSV
            </Anchor>
          </Group>
          <LogTable org={place.org} events={log.data.events} />
          <Pagination
            total={log.data.total_pages}
            value={filter.page}
            onChange={page => change({ page: page === 1 ? undefined : page })}
            getControlProps={control => ({ 'aria-label': `${control} page` })}
          />
        </>
      )}
    </Stack>
  )
}

/** The audit log, of the same time and repository. */
function csvAddress({ org, environment, search }: Place, { from, to }: EventFilter): string {
  const query = new URLSearchParams()
  if (from !== undefined) query.set('from_timestamp', String(from))
  if (to !== undefined) query.set('to_timestamp', String(to))
  if (search.repo) query.set('repo_names', search.repo)
  return `/api/v2/environments/${encodeURIComponent(org)}/${encodeURIComponent(environment)}/auditlog?${query}`
}

function NothingHappened() {
  return (
    <Empty title="No events">
      Every report that shows something new makes events. Perhaps the filters leave nothing.
    </Empty>
  )
}

function LogFilters({ place: { search } }: { place: Place }) {
  const change = useChangeSearch()
  const isFiltered = search.from || search.to || search.repo || search.oldest_first
  const chooseRepo = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    change({ repo: String(new FormData(event.currentTarget).get('repo') ?? '').trim() || undefined })
  }
  return (
    <Group align="end" gap="sm">
      <TextInput
        type="date"
        label="From"
        value={search.from ?? ''}
        onChange={({ currentTarget }) => change({ from: currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        label="To"
        value={search.to ?? ''}
        onChange={({ currentTarget }) => change({ to: currentTarget.value || undefined })}
      />
      <form onSubmit={chooseRepo}>
        <TextInput
          key={search.repo ?? ''}
          name="repo"
          label="Repository"
          placeholder="owner/name, then Enter"
          defaultValue={search.repo ?? ''}
        />
      </form>
      <Switch
        label="Oldest first"
        checked={search.oldest_first ?? false}
        onChange={({ currentTarget }) => change({ oldest_first: currentTarget.checked || undefined })}
        mb={8}
      />
      {isFiltered && (
        <Button
          variant="subtle"
          onClick={() => change({ from: undefined, to: undefined, repo: undefined, oldest_first: undefined })}
        >
          Clear filters
        </Button>
      )}
    </Group>
  )
}
