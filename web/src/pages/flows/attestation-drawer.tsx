// The drawer with one attestation on the page of its trail. The id of the attestation is in the URL.
import { Drawer, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { builtInTypesQuery } from '../../parts/queries.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { computeSlotState, StateBadge } from '../../parts/state-badge.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Copy } from '../../ui/command.tsx'
import { Details } from '../../ui/details.tsx'
import { ButtonLink } from '../../ui/page-link.tsx'
import { RawJson } from '../../ui/raw-json.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { AttestationDownloads } from './attestation-downloads.tsx'
import { AttestationFacts } from './attestation-facts.tsx'
import { AttestationVerdict } from './attestation-verdict.tsx'
import { Evidence } from './evidence/evidence.tsx'
import { attestationQuery } from './queries.ts'
import { ReportsOfName } from './reports-of-name.tsx'
import { trailTexts as texts } from './texts-trail.ts'

const FROM = '/$org/flows/$flow/trails/$trail'

export function AttestationDrawer({ org }: { org: string }) {
  const { attestation_id } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  return (
    <Drawer
      opened={attestation_id !== undefined}
      onClose={() => void navigate({ search: {}, resetScroll: false })}
      position="right"
      size="xl"
      title={texts.attestation.title}
      closeButtonProps={{ 'aria-label': texts.attestation.close }}
    >
      {attestation_id !== undefined && <OpenAttestation org={org} attestation_id={attestation_id} />}
    </Drawer>
  )
}

function OpenAttestation({ org, attestation_id }: { org: string; attestation_id: string }) {
  const attestation = useQuery(attestationQuery(org, attestation_id))
  const types = useQuery(builtInTypesQuery)
  if (attestation.isPending || types.isPending) return <Loading />
  if (attestation.error) return <ErrorAlert error={attestation.error} />
  if (types.error) return <ErrorAlert error={types.error} />
  return <Content org={org} attestation={attestation.data} built_in_types={types.data} />
}

interface ContentProps {
  org: string
  attestation: Schemas['Attestation']
  built_in_types: Schemas['BuiltInAttestationType'][]
}

function Content({ org, attestation, built_in_types }: ContentProps) {
  const raw = JSON.stringify(attestation, null, 2)
  const { is_compliant } = attestation
  return (
    <Stack>
      <Group justify="space-between" align="start">
        <Title order={2} size="h3" className="fingerprint">
          {attestation.attestation_name}
        </Title>
        <StateBadge by="evidence" state={computeSlotState({ status: 'COMPLETE', is_compliant })} />
      </Group>
      {attestation.description !== '' && <Text>{attestation.description}</Text>}
      <AttestationVerdict attestation={attestation} built_in_types={built_in_types} />
      <OverrideButton org={org} attestation={attestation} />
      <Evidence org={org} attestation={attestation} />
      <AttestationFacts org={org} attestation={attestation} />
      <AttestationDownloads org={org} attestation={attestation} />
      <ReportsOfName org={org} attestation={attestation} />
      <Details title={texts.attestation.rawJson}>
        <Group justify="end" mb={4}>
          <Copy value={raw} what={texts.attestation.copyRawJson} />
        </Group>
        <RawJson value={attestation} />
      </Details>
    </Stack>
  )
}

function OverrideButton({ org, attestation }: Omit<ContentProps, 'built_in_types'>) {
  const { isMember } = useRole(org)
  const { flow_name: flow, trail_name: trail, attestation_id, waiting_for } = attestation
  if (!isMember || waiting_for !== null) return null
  return (
    <Group>
      <ButtonLink
        size="compact-sm"
        variant="default"
        to="/$org/flows/$flow/trails/$trail/override/$attestation_id"
        params={{ org, flow, trail, attestation_id }}
      >
        {texts.attestation.override}
      </ButtonLink>
    </Group>
  )
}
