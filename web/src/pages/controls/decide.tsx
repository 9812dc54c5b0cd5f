// The page on which a person decides on a control: first the flow and trail, then the decision.
import { Group, Select, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ForRole } from '../../parts/for-role.tsx'
import { ControlLink } from '../../parts/links.tsx'
import { flowNamesQuery } from '../../parts/queries.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { AttestForm } from '../flows/attest/attest-form.tsx'
import { trailQuery, trailsQuery } from '../flows/queries.ts'
import { controlTexts as texts } from './texts.ts'

const FROM = '/$org/controls/$identifier/decide'

export function DecidePage() {
  const { org, identifier } = useParams({ from: FROM })
  return (
    <Stack>
      <Crumbs here={texts.decide.title}>
        <PageLink to="/$org/controls" params={{ org }}>
          {texts.title}
        </PageLink>
        <ControlLink org={org} identifier={identifier} />
      </Crumbs>
      <Title order={1}>{texts.decide.heading(identifier)}</Title>
      <ForRole org={org} minRole="member" what={texts.decide.subject}>
        <Pickers org={org} />
        <Decision org={org} identifier={identifier} />
      </ForRole>
    </Stack>
  )
}

function Pickers({ org }: { org: string }) {
  const { flow, trail } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const flows = useQuery(flowNamesQuery(org))
  const trails = useQuery({
    ...trailsQuery(org, { archived: false, ...(flow !== undefined && { flow }) }),
    enabled: flow !== undefined,
  })
  const names = (trails.data?.data ?? []).map(({ name }) => name)
  return (
    <Stack gap="xs">
      <Text>{texts.decide.hint}</Text>
      <Group align="end">
        <Select
          label={texts.decide.flow}
          data={flows.data ?? []}
          value={flow ?? null}
          searchable
          onChange={value => void navigate({ search: dropUndefined({ flow: value ?? undefined }) })}
        />
        <Select
          label={texts.decide.trail}
          data={[...new Set([...names, ...(trail === undefined ? [] : [trail])])]}
          value={trail ?? null}
          searchable
          disabled={flow === undefined}
          onChange={value => void navigate({ search: dropUndefined({ flow, trail: value ?? undefined }) })}
        />
      </Group>
    </Stack>
  )
}

function Decision({ org, identifier }: { org: string; identifier: string }) {
  const { flow, trail: name, fingerprint, attestation } = useSearch({ from: FROM })
  const navigate = useNavigate()
  const isChosen = flow !== undefined && name !== undefined
  const trail = useQuery({ ...trailQuery(org, flow ?? '', name ?? ''), enabled: isChosen })
  if (!isChosen) return null
  if (trail.isPending) return <Loading />
  if (trail.data === undefined) return <ErrorAlert error={trail.error} />
  return (
    <AttestForm
      key={`${flow} ${name}`}
      org={org}
      trail={trail.data}
      preset={{
        type: 'decision',
        control: identifier,
        ...dropUndefined({ fingerprint, name: attestation }),
      }}
      onDone={() => navigate({ to: '/$org/controls/$identifier', params: { org, identifier } })}
    />
  )
}
