// The page of a custom attestation type and its versions. Attestations keep the version they were evaluated with.
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
import { typeTexts as texts } from './texts.ts'
import { TypeVersion } from './version.tsx'

const FROM = '/$org/attestation-types/$name'

export function AttestationTypePage() {
  const { org, name } = useParams({ from: FROM })
  const type = useQuery(typeQuery(org, name))
  return (
    <Stack>
      <Crumbs here={name}>
        <PageLink to="/$org/attestations" params={{ org }}>
          {texts.attestations}
        </PageLink>
        <PageLink to="/$org/attestation-types" params={{ org }}>
          {texts.customTypes}
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
          {texts.detail.createdBy(type.created_by ?? '')} <RelativeTime at={type.created_at} />
        </Text>
        <ButtonLink
          size="compact-sm"
          variant="default"
          to="/$org/attestations"
          params={{ org }}
          search={{ type: [`custom:${type.name}`] }}
        >
          {texts.detail.viewAttestations}
        </ButtonLink>
        {isMember && !type.archived && <Archive org={org} type={type} />}
      </Group>
      <Versions type={type} />
    </>
  )
}

function Versions({ type: { versions } }: { type: TypeProps['type'] }) {
  const { version: requested } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const newest = versions[0]
  const shown = versions.find(({ version }) => version === requested) ?? newest
  if (!newest || !shown) return null
  return (
    <>
      <NativeSelect
        label={texts.detail.version}
        maw={320}
        value={String(shown.version)}
        data={versions.map(({ version }) => ({
          value: String(version),
          label: texts.detail.versionChoice(version, version === newest.version),
        }))}
        onChange={({ currentTarget }) => void navigate({ search: { version: Number(currentTarget.value) } })}
      />
      {requested !== undefined && requested !== shown.version && (
        <Text>{texts.detail.noVersion(requested)}</Text>
      )}
      <TypeVersion version={shown} />
    </>
  )
}

function Archive({ org, type: { name } }: TypeProps) {
  const archive = useChange(
    () =>
      unwrap(api.PUT('/custom-attestation-types/{org}/{name}/archive', { params: { path: { org, name } } })),
    { notice: texts.detail.archived(name) },
  )
  return (
    <ConfirmByTyping
      label={texts.detail.archive}
      about={name}
      name={name}
      question={texts.detail.archiveQuestion}
      change={archive}
      input={undefined}
    />
  )
}
