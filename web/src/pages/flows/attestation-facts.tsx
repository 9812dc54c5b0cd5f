// What every attestation has, whatever its type: what it is about, who reported it and when, and what was noted with it.
import { Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import {
  ArtifactLink,
  AttestationLink,
  AttestationTypeLink,
  CommitLink,
  TrailLink,
} from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { Copy } from '../../ui/command.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Facts } from '../../ui/facts.tsx'

interface AttestationProps {
  org: string
  attestation: Schemas['Attestation']
}

export function AttestationFacts({ org, attestation }: AttestationProps) {
  const { git_commit_info: commit, overridden_attestation_id } = attestation
  const linkTo = (attestation_id: string, children: ReactNode) => (
    <AttestationLink
      org={org}
      flow={attestation.flow_name}
      trail={attestation.trail_name}
      attestation_id={attestation_id}
    >
      {children}
    </AttestationLink>
  )
  return (
    <>
      <Facts
        rows={[
          ['Type', <AttestationTypeLink key="type" org={org} type={attestation.attestation_type} />],
          ['About', <Subject key="subject" org={org} attestation={attestation} />],
          ['Commit', commit && <CommitLink key="commit" sha={commit.sha1} url={commit.url} />],
          ['Origin', attestation.origin_url && <ExternalLink key="origin" href={attestation.origin_url} />],
          ['Reported by', attestation.reported_by],
          ['Reported', <RelativeTime key="at" at={attestation.created_at} />],
          [
            'Overrides',
            overridden_attestation_id && linkTo(overridden_attestation_id, 'the report before it'),
          ],
          [
            'Link',
            <Group key="link" gap="xs">
              {linkTo(attestation.attestation_id, attestation.attestation_id)}
              <Copy value={attestation.html_url} what="the link to this attestation" />
            </Group>,
          ],
        ]}
      />
      <Noted
        title="Links"
        rows={Object.entries(attestation.external_urls).map(
          ([label, { href }]) => [label, <ExternalLink key={label} href={href} />] as const,
        )}
      />
      <Noted title="Annotations" rows={Object.entries(attestation.annotations)} />
    </>
  )
}

function Noted({ title, rows }: { title: string; rows: readonly (readonly [string, ReactNode])[] }) {
  if (rows.length === 0) return null
  return (
    <Stack gap={4}>
      <Title order={3} size="h5">
        {title}
      </Title>
      <Facts rows={rows} />
    </Stack>
  )
}

function Subject({ org, attestation }: AttestationProps) {
  const { artifact_fingerprint, flow_name, target_artifacts, trail_name } = attestation
  if (artifact_fingerprint !== null) {
    return <ArtifactLink org={org} flow={flow_name} fingerprint={artifact_fingerprint} />
  }
  if (target_artifacts.length > 0) return <>Artifact {target_artifacts.join(' or ')}</>
  return (
    <>
      The trail <TrailLink org={org} flow={flow_name} trail={trail_name} />
    </>
  )
}
