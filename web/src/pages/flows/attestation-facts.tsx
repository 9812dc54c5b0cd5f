// The facts that attestations of every type share: subject, reporter, time, links and annotations.
import { Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { DecidedBy } from '../../parts/decided-by.tsx'
import {
  ArtifactLink,
  AttestationLink,
  AttestationTypeLink,
  CommitLink,
  TrailLink,
} from '../../parts/links.tsx'
import { LogMark } from '../../parts/log-mark.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { partsTexts as parts } from '../../parts/texts.ts'
import { RecordedTime } from '../../parts/time.tsx'
import { Copy } from '../../ui/command.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Facts } from '../../ui/facts.tsx'
import { listSbomFacts } from './sbom-facts.ts'
import { trailTexts as texts } from './texts-trail.ts'

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
          [
            texts.facts.type,
            <AttestationTypeLink key="type" org={org} type={attestation.attestation_type} />,
          ],
          [texts.facts.about, <Subject key="subject" org={org} attestation={attestation} />],
          [texts.facts.commit, commit && <CommitLink key="commit" sha={commit.sha1} url={commit.url} />],
          [
            texts.facts.origin,
            attestation.origin_url && <ExternalLink key="origin" href={attestation.origin_url} />,
          ],
          [texts.facts.reportedBy, attestation.reported_by],
          ...listPersons(attestation.confirmed_decision),
          [texts.facts.reported, <RecordedTime key="at" at={attestation.created_at} of={attestation} />],
          [parts.log.title, <LogMark key="log" org={org} of={{ attestation: attestation.attestation_id }} />],
          [
            texts.facts.overrides,
            overridden_attestation_id && linkTo(overridden_attestation_id, texts.facts.previousReport),
          ],
          [
            texts.facts.link,
            <Group key="link" gap="xs">
              {linkTo(attestation.attestation_id, attestation.attestation_id)}
              <Copy value={attestation.html_url} what={texts.facts.copyLink} />
            </Group>,
          ],
        ]}
      />
      <FactSection title={texts.sbom.title} rows={listSbomFacts(attestation)} />
      <FactSection
        title={texts.facts.links}
        rows={Object.entries(attestation.external_urls).map(
          ([label, { href }]) => [label, <ExternalLink key={label} href={href} />] as const,
        )}
      />
      <FactSection title={texts.facts.annotations} rows={Object.entries(attestation.annotations)} />
    </>
  )
}

/** Both persons of an override that two decided. */
function listPersons(decided: Schemas['Attestation']['confirmed_decision']): [string, ReactNode][] {
  if (!decided) return []
  const { asked_by, asked_at, asked_reason, confirmed_by, confirmed_at, confirmed_reason } = decided
  return [
    [
      texts.facts.requestedBy,
      <DecidedBy key="requested" person={asked_by} at={asked_at} reason={asked_reason} />,
    ],
    [
      texts.facts.confirmedBy,
      <DecidedBy key="confirmed" person={confirmed_by} at={confirmed_at} reason={confirmed_reason} />,
    ],
  ]
}

function FactSection({ title, rows }: { title: string; rows: readonly (readonly [string, ReactNode])[] }) {
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
  if (target_artifacts.length > 0)
    return <>{texts.facts.aboutArtifacts(target_artifacts.join(texts.facts.or))}</>
  return (
    <>
      {texts.facts.aboutTrail} <TrailLink org={org} flow={flow_name} trail={trail_name} />
    </>
  )
}
