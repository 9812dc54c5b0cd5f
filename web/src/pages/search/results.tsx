// The search page: results for a commit, a fingerprint or a name, grouped by kind.
import { Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ArchivedBadge } from '../../parts/archived.tsx'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { StateBadges } from '../../parts/state-badge.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { dropUndefined, readText } from '../../ui/search-params.ts'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import type { Hit, HitGroup } from './hits.ts'
import { parseQuery, SEARCH_HELP } from './queries.ts'
import { searchTexts as texts } from './texts.ts'
import { type Found, isCut, useHits } from './use-hits.ts'

const TYPING_DELAY_MS = 250

export function SearchPage() {
  const { org } = useParams({ from: '/$org/search' })
  const { q = '' } = useSearch({ from: '/$org/search' })
  const navigate = useNavigate({ from: '/$org/search' })
  const [typed, setTyped] = useState(q)
  const searchSoon = useDebouncedCallback(
    (text: string) => void navigate({ search: dropUndefined({ q: readText(text) }), replace: true }),
    TYPING_DELAY_MS,
  )
  useEffect(() => setTyped(q), [q])
  const found = useHits(org, parseQuery(q))
  const onEnter = () => {
    if (found.exact && parseQuery(typed) === parseQuery(q)) void navigate(found.exact)
  }
  return (
    <Stack>
      <Title order={1}>{texts.title}</Title>
      <search>
        <TextInput
          label={texts.field}
          description={texts.fieldHelp}
          type="search"
          value={typed}
          maw={640}
          onKeyDown={({ key }) => key === 'Enter' && onEnter()}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value)
            searchSoon(currentTarget.value.trim())
          }}
        />
      </search>
      {q !== '' && <Results org={org} text={q} found={found} />}
    </Stack>
  )
}

function Results({ org, text, found }: { org: string; text: string; found: Found }) {
  if (found.isPending) return <Loading />
  return (
    <>
      {found.error && <ErrorAlert error={found.error} />}
      <Text role="status">{found.summary}</Text>
      {found.count === 0 && (
        <Empty
          title={texts.nothing}
          command={buildCurl('GET', buildApiPath('search', org, 'sha', parseQuery(text)))}
        >
          {SEARCH_HELP}
        </Empty>
      )}
      {found.groups.map(group => (
        <Group key={group.title} component="section" aria-label={group.title}>
          <GroupTable group={group} />
        </Group>
      ))}
    </>
  )
}

function GroupTable({ group }: { group: HitGroup }) {
  const { title, hits } = group
  const heading = isCut(group) ? texts.groupCut(title, hits.length) : texts.group(title, hits.length)
  return (
    <Stack gap="xs" w="100%">
      <Title order={2}>{heading}</Title>
      <DataTable
        caption={heading}
        columns={COLUMNS}
        rows={hits}
        getKey={({ key }) => key}
        isPart={isCut(group)}
      />
    </Stack>
  )
}

const COLUMNS: Column<Hit>[] = [
  { title: texts.name, sortBy: ({ name }) => name, render: hit => <HitName hit={hit} /> },
  {
    title: texts.compliance,
    sortBy: ({ verdicts }) => verdicts?.[0],
    render: ({ verdicts = [], by = 'evidence' }) =>
      verdicts.length > 0 && <StateBadges by={by} states={verdicts} />,
  },
]

function HitName({ hit: { name, detail, place, archived } }: { hit: Hit }) {
  return (
    <div className="fingerprint">
      <Group gap="xs">
        {place === undefined ? name : <PageLink {...place}>{name}</PageLink>}
        {archived && <ArchivedBadge />}
      </Group>
      <Text size="sm" c="dimmed">
        {detail}
      </Text>
    </div>
  )
}
