// The versions of a policy, and the difference between any two of them.
import { Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { loadLater } from '../../live/load-later.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { Loading } from '../../ui/states.tsx'
import { YamlText } from '../../ui/yaml-text.tsx'
import type { Policy } from './queries.ts'
import { policiesTexts as texts } from './texts.ts'

const TextDiff = lazy(() =>
  loadLater(() => import('./text-diff.tsx')).then(({ TextDiff }) => ({ default: TextDiff })),
)

type Version = Policy['versions'][number]

export function Versions({ org, policy }: { org: string; policy: Policy }) {
  const navigate = useNavigate()
  const compare = (from: number, to: number) =>
    void navigate({
      to: '/$org/policies/$policy',
      params: { org, policy: policy.name },
      search: { from, to },
      replace: true,
      resetScroll: false,
    })
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h3">
        {texts.versions.title}
      </Title>
      <DataTable
        caption={texts.versions.title}
        columns={listColumns(compare)}
        rows={policy.versions.toReversed()}
        getKey={({ version }) => String(version)}
      />
      <VersionTexts policy={policy} compare={compare} />
    </Stack>
  )
}

const listColumns = (compare: VersionTextsProps['compare']): Column<Version>[] => [
  { title: texts.versions.version, sortBy: ({ version }) => version, render: ({ version }) => version },
  {
    title: texts.versions.comment,
    sortBy: ({ comment }) => comment,
    render: ({ comment }) => comment || <Text c="dimmed">{texts.versions.noComment}</Text>,
  },
  {
    title: texts.versions.author,
    sortBy: ({ created_by }) => created_by,
    render: ({ created_by }) => created_by,
  },
  {
    title: texts.versions.when,
    first: 'descending',
    sortBy: ({ timestamp }) => timestamp,
    render: ({ timestamp }) => <RelativeTime at={timestamp} />,
  },
  {
    title: texts.versions.changes,
    render: ({ version }) =>
      version > 1 && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={texts.versions.compareLabel(version, version - 1)}
          onClick={() => compare(version - 1, version)}
        >
          {texts.versions.compareWith(version - 1)}
        </Button>
      ),
  },
]

interface VersionTextsProps {
  policy: Policy
  compare: (from: number, to: number) => void
}

/** The latest version, or the difference between the two versions in the address. */
function VersionTexts({ policy, compare }: VersionTextsProps) {
  const search = useSearch({ from: '/$org/policies/$policy' })
  const find = (wanted: number | undefined) => policy.versions.find(({ version }) => version === wanted)
  const latest = policy.versions.at(-1)
  const before = find(search.from)
  const after = find(search.to) ?? latest
  if (!after) return null
  return (
    <>
      <Title order={3} size="h4">
        {before
          ? texts.versions.diffTitle(before.version, after.version)
          : texts.versions.textTitle(after.version)}
      </Title>
      {policy.versions.length > 1 && (
        <VersionPicker policy={policy} compare={compare} from={before?.version} to={after.version} />
      )}
      {before ? (
        <Suspense fallback={<Loading />}>
          <TextDiff before={before.policy_yaml} after={after.policy_yaml} />
        </Suspense>
      ) : (
        <YamlText text={after.policy_yaml} label={texts.versions.textLabel} />
      )}
    </>
  )
}

function VersionPicker({
  policy,
  compare,
  from,
  to,
}: VersionTextsProps & { from: number | undefined; to: number }) {
  const data = policy.versions.map(({ version }) => String(version)).reverse()
  return (
    <Group>
      <Select
        label={texts.versions.compare}
        placeholder={texts.versions.comparePlaceholder}
        data={data}
        value={from === undefined ? null : String(from)}
        allowDeselect={false}
        w={120}
        onChange={chosen => chosen !== null && compare(Number(chosen), to)}
      />
      <Select
        label={texts.versions.with}
        data={data}
        value={String(to)}
        allowDeselect={false}
        w={120}
        onChange={chosen => chosen !== null && compare(from ?? to, Number(chosen))}
      />
    </Group>
  )
}
