// The search page: results for a commit, a fingerprint or a name, grouped by kind.
import { Group, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ArchivedBadge } from '../../parts/archived.tsx'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { StateBadges } from '../../parts/state-badge.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { dropUndefined, readText } from '../../ui/search-params.ts'
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
  return (
    <Stack gap="xs" w="100%">
      <Title order={2}>
        {isCut(group) ? texts.groupCut(title, hits.length) : texts.group(title, hits.length)}
      </Title>
      <Table.ScrollContainer minWidth={320}>
        <Table highlightOnHover layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.name}</Table.Th>
              <Table.Th w={160}>{texts.compliance}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {hits.map(hit => (
              <HitRow key={hit.key} hit={hit} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}

function HitRow({ hit: { name, detail, place, verdicts = [], by = 'evidence', archived } }: { hit: Hit }) {
  return (
    <Table.Tr>
      <Table.Td className="fingerprint">
        <Group gap="xs">
          {place === undefined ? name : <PageLink {...place}>{name}</PageLink>}
          {archived && <ArchivedBadge />}
        </Group>
        <Text size="sm" c="dimmed">
          {detail}
        </Text>
      </Table.Td>
      <Table.Td>
        <StateBadges by={by} states={verdicts} />
      </Table.Td>
    </Table.Tr>
  )
}
