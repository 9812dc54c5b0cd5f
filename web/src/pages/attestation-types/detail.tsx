// One attestation type: what it is for, and its versions. What was reported stays judged by the version of its time.
import { Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { ArchivedNotice } from '../../parts/archived.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmByTyping } from '../../ui/confirm-by-typing.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { ButtonLink, PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { typeQuery } from './queries.ts'
import { TypeVersion } from './version.tsx'

const FROM = '/$org/attestation-types/$name'

export function AttestationTypePage() {
  const { org, name } = useParams({ from: FROM })
  const type = useQuery(typeQuery(org, name))
  return (
    <Stack>
      <Crumbs here={name}>
        <PageLink to="/$org/attestations" params={{ org }}>
          Attestations
        </PageLink>
        <PageLink to="/$org/attestation-types" params={{ org }}>
          Types of your own
        </PageLink>
      </Crumbs>
      <Title order={1} className="fingerprint">
        {name}
      </Title>
      {type.isPending ? (
        <Loading />
      ) : type.error ? (
        <ErrorAlert error={type.error} />
      ) : (
        <Content org={org} type={type.data} />
      )}
    </Stack>
  )
}

interface TypeProps {
  org: string
  type: Schemas['CustomAttestationType']
}

function Content({ org, type }: TypeProps) {
  const { isMember } = useRole(org)
  return (
    <>
      {type.archived && <ArchivedNotice org={org} kind="type" name={type.name} />}
      {type.description && <Text>{type.description}</Text>}
      <Group>
        <Text size="sm" c="dimmed">
          Made by {type.created_by}, <RelativeTime at={type.created_at} />
        </Text>
        <ButtonLink
          size="compact-sm"
          variant="default"
          to="/$org/attestations"
          params={{ org }}
          search={{ type: [`custom:${type.name}`] }}
        >
          Attestations of this type
        </ButtonLink>
        {isMember && !type.archived && <Archive org={org} type={type} />}
      </Group>
      <Versions type={type} />
    </>
  )
}

function Versions({ type: { versions } }: { type: TypeProps['type'] }) {
  const { version: wanted } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const newest = versions[0]
  const shown = versions.find(({ version }) => version === wanted) ?? newest
  if (!newest || !shown) return null
  const label = (version: number) => `Version ${version}${version === newest.version ? ' (in force)' : ''}`
  return (
    <>
      <NativeSelect
        label="Version"
        maw={320}
        value={String(shown.version)}
        data={versions.map(({ version }) => ({ value: String(version), label: label(version) }))}
        onChange={({ currentTarget }) => void navigate({ search: { version: Number(currentTarget.value) } })}
      />
      {wanted !== undefined && wanted !== shown.version && (
        <Text>There is no version {wanted}: this is the one in force.</Text>
      )}
      <TypeVersion version={shown} />
    </>
  )
}

function Archive({ org, type: { name } }: TypeProps) {
  const archive = useChange(
    () =>
      unwrap(api.PUT('/custom-attestation-types/{org}/{name}/archive', { params: { path: { org, name } } })),
    { notice: `${name} is archived` },
  )
  return (
    <ConfirmByTyping
      label="Archive"
      about={name}
      name={name}
      question="Nothing new can be reported with it. What was reported is kept, and it can be unarchived."
      change={archive}
      input={undefined}
    />
  )
}
