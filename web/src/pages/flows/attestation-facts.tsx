// What every attestation has, whatever its type: its verdict, what it is about, who reported it and when.
import { Alert, Text } from '@mantine/core'
import { ArtifactLink, AttestationLink, CommitLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { Facts } from '../../ui/facts.tsx'
import { OutsideLink } from '../../ui/outside-link.tsx'

interface AttestationProps {
  org: string
  attestation: Schemas['Attestation']
}

export function AttestationFacts({ org, attestation }: AttestationProps) {
  const { git_commit_info: commit, overridden_attestation_id } = attestation
  const verdict = attestation.verdict as { expected?: string; found?: string } | undefined
  return (
    <>
      {attestation.description !== '' && <Text>{attestation.description}</Text>}
      {attestation.waiting_for !== null && (
        <Alert color="blue" title="Not bound yet">
          {attestation.waiting_for}
        </Alert>
      )}
      <Facts
        rows={[
          ['Expected', verdict?.expected],
          ['Found', verdict?.found],
          ['Type', attestation.attestation_type],
          ['About', <Subject key="subject" org={org} attestation={attestation} />],
          ['Commit', commit && <CommitLink key="commit" sha={commit.sha1} url={commit.url} />],
          ['Origin', attestation.origin_url && <OutsideLink key="origin" href={attestation.origin_url} />],
          ['Reported by', attestation.reported_by],
          ['Reported', <Moment key="at" at={attestation.created_at} />],
          [
            'Overrides',
            overridden_attestation_id && (
              <AttestationLink
                key="overrides"
                org={org}
                flow={attestation.flow_name}
                trail={attestation.trail_name}
                attestation_id={overridden_attestation_id}
              >
                the attestation before it
              </AttestationLink>
            ),
          ],
          ...Object.entries(attestation.external_urls).map(
            ([label, { href }]) => [label, <OutsideLink key={label} href={href} />] as const,
          ),
          ...Object.entries(attestation.annotations),
        ]}
      />
    </>
  )
}

function Subject({ org, attestation }: AttestationProps) {
  const { artifact_fingerprint, flow_name, target_artifacts } = attestation
  if (artifact_fingerprint !== null) {
    return <ArtifactLink org={org} flow={flow_name} fingerprint={artifact_fingerprint} />
  }
  if (target_artifacts.length > 0) return <>Artifact {target_artifacts.join(' or ')}</>
  return <>The trail {attestation.trail_name}</>
}
