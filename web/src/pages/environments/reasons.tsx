// Why an artifact is not compliant, and how to fix it.
import { Alert, List, Text } from '@mantine/core'
import { ControlLink, PolicyLink, TrailLink } from '../../parts/links.tsx'
import { useRole } from '../../parts/use-role.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import type { Reason } from './answers.ts'
import { historyTexts as texts } from './texts-history.ts'

export function Reasons({ org, reasons }: { org: string; reasons: readonly Reason[] }) {
  if (reasons.length === 0) return null
  return (
    <Alert color="red" variant="light" p="xs" title={texts.card.reasons} role="group">
      {groupReasons(reasons).map(group => (
        <ReasonGroup key={group.key} org={org} group={group} />
      ))}
    </Alert>
  )
}

interface Group {
  key: string
  /** All of them have the same policy and trail. */
  reasons: [Reason, ...Reason[]]
}

/** Shows a shared policy and trail once: there may be many reasons, and links are costly to render. */
function groupReasons(reasons: readonly Reason[]): Group[] {
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
        {texts.card.policy} <PolicyLink org={org} policy={policy_name} /> {texts.card.version(policy_version)}
        {flow_name !== null && trail_name !== null && (
          <>
            {texts.card.supply} <TrailLink org={org} flow={flow_name} trail={trail_name} />
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
      {texts.card.rule} {describeRule(reason)}
      {reason.for_control !== null && (
        <>
          {texts.card.control} <ControlLink org={org} identifier={reason.for_control} />
        </>
      )}
      {texts.card.expectedFound(reason.expected, reason.found)}
      <br />
      {texts.card.fix(reason.remedy)}
      <DecideLink org={org} reason={reason} />
    </List.Item>
  )
}

/** For a decision that is missing or negative. */
function DecideLink({ org, reason }: { org: string; reason: Reason }) {
  const { isMember } = useRole(org)
  const { for_control, flow_name, trail_name, artifact_fingerprint, attestation_name } = reason
  if (!isMember || for_control === null || flow_name === null || trail_name === null) return null
  return (
    <>
      {' '}
      <PageLink
        to="/$org/controls/$identifier/decide"
        params={{ org, identifier: for_control }}
        search={dropUndefined({
          flow: flow_name,
          trail: trail_name,
          fingerprint: artifact_fingerprint,
          attestation: attestation_name ?? undefined,
        })}
      >
        {texts.card.decide(for_control)}
      </PageLink>
    </>
  )
}

function describeRule({ rule, attestation_name, attestation_type }: Reason): string {
  if (rule !== 'attestation') return rule
  return [rule, attestation_name, attestation_type && `(${attestation_type})`].filter(Boolean).join(' ')
}
