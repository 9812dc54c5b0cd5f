// The expected attestations of a trail or an artifact, one per row.
import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { AttestationLink } from '../../parts/links.tsx'
import { builtInTypesQuery } from '../../parts/queries.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { computeSlotState, StateBadge } from '../../parts/state-badge.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Command } from '../../ui/command.tsx'
import { Details } from '../../ui/details.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { buildAttestationCommand, buildAttestCommand, type Target } from './supply.ts'
import { trailTexts as texts } from './texts-trail.ts'

interface SlotTableProps {
  org: string
  trail: Schemas['Trail']
  /** Names the table for screen readers. */
  label: string
  slots: Schemas['AttestationStatus'][]
  target: Target
}

export function SlotTable({ org, trail, label, slots, target }: SlotTableProps) {
  if (slots.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {texts.slots.none}
      </Text>
    )
  }
  return (
    <Table aria-label={label} verticalSpacing={6} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.slots.attestation}</Table.Th>
          <Table.Th w="11em">{texts.slots.state}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {slots.map(slot => (
          <SlotRow key={slot.attestation_name} org={org} trail={trail} slot={slot} target={target} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

interface SlotRowProps extends Omit<SlotTableProps, 'slots' | 'label'> {
  slot: Schemas['AttestationStatus']
}

function SlotRow({ org, trail, slot, target }: SlotRowProps) {
  const isWaiting =
    target.artifact !== null &&
    slot.status === 'MISSING' &&
    trail.compliance_status.waiting.some(each => each.attestation_name === slot.attestation_name)
  return (
    <>
      <Table.Tr>
        <Table.Td>
          {slot.attestation_id === null ? (
            <Text span inherit fw={500} className="long-name">
              {slot.attestation_name}
            </Text>
          ) : (
            <AttestationLink
              org={org}
              flow={trail.flow_name}
              trail={trail.name}
              attestation_id={slot.attestation_id}
            >
              {slot.attestation_name}
            </AttestationLink>
          )}
          <Text size="xs" c="dimmed">
            {slot.attestation_type}
            {slot.unexpected && texts.slots.notRequired}
            {slot.overridden_attestation_id !== null && texts.slots.overridden}
            {isWaiting && texts.slots.waiting}
          </Text>
        </Table.Td>
        <Table.Td>
          <StateBadge by="evidence" state={computeSlotState(slot)} />
        </Table.Td>
      </Table.Tr>
      {slot.status === 'MISSING' && !trail.archived && (
        <Table.Tr>
          <Table.Td colSpan={2}>
            <Details title={texts.slots.command(slot.attestation_name)}>
              <SlotCommand org={org} trail={trail} slot={slot} target={target} />
            </Details>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}

function SlotCommand({ org, trail, slot, target }: SlotRowProps) {
  const types = useQuery(builtInTypesQuery)
  const { isMember } = useRole(org)
  if (types.isPending) return <Loading rows={1} />
  if (types.error) return <ErrorAlert error={types.error} />
  return (
    <>
      <Text size="sm" mb={4}>
        {texts.slots.placeholders}
      </Text>
      <Command command={buildAttestCommand(org, trail, slot, target, types.data)} />
      <Text size="sm" my={4}>
        {texts.slots.withCurl}
      </Text>
      <Command command={buildAttestationCommand(org, trail, slot, target, types.data)} />
      {isMember && (
        <Text size="sm" mt={4}>
          <PageLink
            to="/$org/flows/$flow/trails/$trail/attest"
            params={{ org, flow: trail.flow_name, trail: trail.name }}
            search={dropUndefined({
              name: slot.attestation_name,
              type: slot.attestation_type,
              fingerprint: target.fingerprint ?? undefined,
              artifact: target.artifact ?? undefined,
            })}
          >
            {texts.slots.byHand(slot.attestation_name)}
          </PageLink>
        </Text>
      )}
    </>
  )
}
