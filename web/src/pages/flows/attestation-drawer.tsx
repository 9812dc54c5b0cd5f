// One attestation beside the page of its trail: readable first, raw on request. Its id is in the address.
import { Button, Drawer, Group, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { apiPath } from '../../parts/curl.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { StateBadge, slotState } from '../../parts/state-badge.tsx'
import { Copy } from '../../ui/command.tsx'
import { Folded } from '../../ui/folded.tsx'
import { RawJson } from '../../ui/raw-json.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { AttestationFacts } from './attestation-facts.tsx'
import { Evidence } from './evidence/evidence.tsx'
import { attestationQuery } from './queries.ts'
import { ReportsOfName } from './reports-of-name.tsx'

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
      title="Attestation"
      closeButtonProps={{ 'aria-label': 'Close the attestation' }}
    >
      {attestation_id !== undefined && <Opened org={org} attestation_id={attestation_id} />}
    </Drawer>
  )
}

function Opened({ org, attestation_id }: { org: string; attestation_id: string }) {
  const attestation = useQuery(attestationQuery(org, attestation_id))
  if (attestation.isPending) return <Loading />
  if (attestation.error) return <Failed error={attestation.error} />
  return <Content org={org} attestation={attestation.data} />
}

function Content({ org, attestation }: { org: string; attestation: Schemas['Attestation'] }) {
  const raw = JSON.stringify(attestation, null, 2)
  const { is_compliant } = attestation
  return (
    <Stack>
      <Group justify="space-between" align="start">
        <Title order={2} size="h3" className="fingerprint">
          {attestation.attestation_name}
        </Title>
        <StateBadge state={slotState({ status: 'COMPLETE', is_compliant })} />
      </Group>
      <AttestationFacts org={org} attestation={attestation} />
      <Evidence org={org} attestation={attestation} />
      <Downloads org={org} attestation={attestation} />
      <ReportsOfName org={org} attestation={attestation} />
      <Folded title="Raw JSON">
        <Group justify="end" mb={4}>
          <Copy value={raw} what="the raw JSON" />
        </Group>
        <RawJson value={attestation} />
      </Folded>
    </Stack>
  )
}

function Downloads({ org, attestation }: { org: string; attestation: Schemas['Attestation'] }) {
  const { attestation_id: id, flow_name, trail_name, evidence_archive_path } = attestation
  const file_name = evidence_archive_path?.split('/').at(-1)
  return (
    <Group>
      {evidence_archive_path !== null && (
        <Button
          component="a"
          download
          href={apiPath('attestations', org, flow_name, 'trail', trail_name, 'attestation', id, 'evidence')}
        >
          Download the attachment {file_name}
        </Button>
      )}
      {attestation.has_audit_package && (
        <Button
          component="a"
          variant="default"
          download
          href={apiPath('attestations', org, 'attestation', id, 'audit_package')}
        >
          Download the audit package
        </Button>
      )}
    </Group>
  )
}
