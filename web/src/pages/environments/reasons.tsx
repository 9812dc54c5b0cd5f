// Why an artifact is not compliant, and what would make it so.
import { Alert, List, Text } from '@mantine/core'
import { ControlLink, PolicyLink, TrailLink } from '../../parts/links.tsx'
import type { Reason } from './answers.ts'

export function Reasons({ org, reasons }: { org: string; reasons: readonly Reason[] }) {
  if (reasons.length === 0) return null
  return (
    <Alert color="red" variant="light" p="xs" title="Why it is not compliant" role="group">
      {groupsOf(reasons).map(group => (
        <ReasonGroup key={group.key} org={org} group={group} />
      ))}
    </Alert>
  )
}

interface Group {
  key: string
  /** They share the policy and the trail. */
  reasons: [Reason, ...Reason[]]
}

/** What is the same for several is said once: there may be many, and links are not for free. */
function groupsOf(reasons: readonly Reason[]): Group[] {
  const groups = new Map<string, Group>()
  for (const reason of reasons) {
    const { policy_name, policy_version, flow_name, trail_name } = reason
    const key = JSON.stringify([policy_name, policy_version, flow_name, trail_name])
    const group = groups.get(key)
    if (group) group.reasons.push(reason)
    else groups.set(key, { key, reasons: [reason] })
  }
  return [...groups.values()]
}

function ReasonGroup({ org, group: { reasons } }: { org: string; group: Group }) {
  const [{ policy_name, policy_version, flow_name, trail_name }] = reasons
  return (
    <>
      <List size="sm" spacing={6}>
        {reasons.map(reason => (
          <ReasonItem key={`${reason.rule} ${reason.description}`} org={org} reason={reason} />
        ))}
      </List>
      <Text size="sm" mt={6}>
        Policy <PolicyLink org={org} policy={policy_name} /> version {policy_version}
        {/* The page of the trail has the command for what is missing there. */}
        {flow_name !== null && trail_name !== null && (
          <>
            . The command is on the page of the trail{' '}
            <TrailLink org={org} flow={flow_name} trail={trail_name} />
          </>
        )}
      </Text>
    </>
  )
}

function ReasonItem({ org, reason }: { org: string; reason: Reason }) {
  return (
    <List.Item>
      <strong>{reason.description}</strong>
      <br />
      Rule: {ruleWords(reason)}
      {reason.for_control !== null && (
        <>
          , control <ControlLink org={org} identifier={reason.for_control} />
        </>
      )}
      . Expected: {reason.expected}. Found: {reason.found}.
      <br />
      To fix it: {reason.remedy}
    </List.Item>
  )
}

function ruleWords({ rule, attestation_name, attestation_type }: Reason): string {
  if (rule !== 'attestation') return rule
  return [rule, attestation_name, attestation_type && `(${attestation_type})`].filter(Boolean).join(' ')
}
