// The event log of an environment, with filters kept in the URL and a CSV download.
import { Anchor, Group, Stack, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { AuditPackageLink } from '../../parts/audit-package-link.tsx'
import { buildApiPath } from '../../parts/curl.ts'
import { ClearFilters, DayFilter, TextFilter } from '../../ui/filters.tsx'
import { getDayEnd, getDayStart } from '../../ui/local-time.ts'
import { Pager } from '../../ui/pager.tsx'
import { dropUndefined, readPage, readSwitch } from '../../ui/search-params.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { LogTable } from './log-table.tsx'
import { type Place, useChangeSearch } from './place.ts'
import { type EventFilter, eventsQuery } from './queries.ts'
import { historyTexts as texts } from './texts-history.ts'

function getFilter({ search }: Place): EventFilter {
  return {
    page: search.page ?? 1,
    ...dropUndefined({
      from: search.from === undefined ? undefined : getDayStart(search.from),
      to: search.to === undefined ? undefined : getDayEnd(search.to),
      repo_name: search.repo === undefined ? undefined : [search.repo],
      reverse: search.oldest_first,
    }),
  }
}

export function LogTab({ place }: { place: Place }) {
  const change = useChangeSearch()
  const filter = getFilter(place)
  const log = useQuery(eventsQuery(place.org, place.environment, filter))
  return (
    <Stack>
      <LogFilters place={place} />
      {log.isPending ? (
        <Loading rows={8} />
      ) : log.error ? (
        <ErrorAlert error={log.error} />
      ) : log.data.events.length === 0 ? (
        <NoEvents />
      ) : (
        <>
          <Group justify="end">
            <Anchor href={buildCsvUrl(place, filter)} download>
              {texts.log.download}
            </Anchor>
            <AuditPackageLink
              of={['environments', place.org, place.environment]}
              from={filter.from}
              to={filter.to}
            />
          </Group>
          <LogTable org={place.org} events={log.data.events} />
          <Pager
            page={filter.page}
            page_count={log.data.total_pages}
            total={log.data.total_count}
            noun="event"
            onChange={page => change({ page: readPage(page) })}
          />
        </>
      )}
    </Stack>
  )
}

/** The audit log for the same period and repository, also of an archived environment. */
function buildCsvUrl({ org, environment, search }: Place, { from, to }: EventFilter): string {
  const query = new URLSearchParams({ archived: 'true' })
  if (from !== undefined) query.set('from_timestamp', String(from))
  if (to !== undefined) query.set('to_timestamp', String(to))
  if (search.repo) query.set('repo_names', search.repo)
  return `${buildApiPath('environments', org, environment, 'auditlog')}?${query}`
}

function NoEvents() {
  return <Empty title={texts.log.none}>{texts.log.noneHint}</Empty>
}

function LogFilters({ place: { search } }: { place: Place }) {
  const change = useChangeSearch()
  const isFiltered = search.from || search.to || search.repo || search.oldest_first
  return (
    <Group align="end" gap="sm">
      <DayFilter label={texts.log.from} value={search.from} onChange={from => change({ from })} />
      <DayFilter label={texts.log.to} value={search.to} onChange={to => change({ to })} />
      <TextFilter
        label={texts.log.repository}
        placeholder={texts.log.repositoryPlaceholder}
        value={search.repo}
        onChange={repo => change({ repo })}
      />
      <Switch
        label={texts.log.oldestFirst}
        checked={search.oldest_first ?? false}
        onChange={({ currentTarget }) => change({ oldest_first: readSwitch(currentTarget.checked) })}
        mb={8}
      />
      {isFiltered && (
        <ClearFilters
          onClear={() => change({ from: undefined, to: undefined, repo: undefined, oldest_first: undefined })}
        />
      )}
    </Group>
  )
}
