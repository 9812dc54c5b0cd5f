// The status of all evidence that the template of a trail expects, with commands that report missing evidence.
import { Alert, Card, Group, List, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { ArtifactLink, AttestationLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { describeState, StateBadge } from '../../parts/state-badge.tsx'
import { Command } from '../../ui/command.tsx'
import text_styles from '../../ui/text.module.css'
import { SlotTable } from './slot-table.tsx'
import { buildArtifactCommand } from './supply.ts'
import { trailTexts as texts } from './texts-trail.ts'

interface TrailProps {
  org: string
  trail: Schemas['Trail']
}

export function TrailStatus({ org, trail }: TrailProps) {
  const { attestations_statuses, artifacts_statuses } = trail.compliance_status
  return (
    <Stack>
      <Reasons trail={trail} />
      <StatusCard title={texts.status.trail}>
        <SlotTable
          org={org}
          trail={trail}
          label={texts.status.attestationsOfTrail}
          slots={attestations_statuses}
          target={{ artifact: null, fingerprint: null }}
        />
      </StatusCard>
      {Object.entries(artifacts_statuses).map(([name, status]) => (
        <ArtifactCard key={name} org={org} trail={trail} name={name} status={status} />
      ))}
      <Waiting org={org} trail={trail} />
    </Stack>
  )
}

function Reasons({ trail }: { trail: Schemas['Trail'] }) {
  const { reasons, status } = trail.compliance_status
  if (reasons.length === 0) return null
  return (
    <Alert
      color={status === 'INCOMPLETE' ? 'yellow' : 'red'}
      title={texts.status.why(describeState(status))}
      classNames={{ title: text_styles.plain ?? '' }}
    >
      <List size="sm">
        {reasons.map(({ description, artifact_fingerprint, expected, found }) => (
          <List.Item key={`${artifact_fingerprint} ${description}`} className="long-name">
            {texts.status.reason(description, expected, found)}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

interface StatusCardProps {
  title: string
  badge?: ReactNode
  children: ReactNode
}

function StatusCard({ title, badge, children }: StatusCardProps) {
  return (
    <Card withBorder>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        {badge}
      </Group>
      {children}
    </Card>
  )
}

interface ArtifactCardProps extends TrailProps {
  name: string
  status: Schemas['ArtifactStatus']
}

function ArtifactCard({ org, trail, name, status }: ArtifactCardProps) {
  const { artifact_fingerprint: fingerprint, artifact_id } = status
  return (
    <StatusCard
      title={texts.status.artifact(name)}
      badge={<StateBadge by="template" state={status.status} />}
    >
      {fingerprint === null ? (
        <Stack gap="xs" mb="sm">
          {trail.archived ? (
            <Text size="sm">{texts.status.notReported}</Text>
          ) : (
            <>
              <Text size="sm">{texts.status.notReportedHint}</Text>
              <Command command={buildArtifactCommand(org, trail, name)} />
            </>
          )}
        </Stack>
      ) : (
        <Text size="sm" mb="xs">
          <ArtifactLink
            org={org}
            flow={trail.flow_name}
            fingerprint={fingerprint}
            artifact_id={artifact_id}
          />
          {status.unexpected && texts.status.notInTemplate}
        </Text>
      )}
      <SlotTable
        org={org}
        trail={trail}
        label={texts.status.attestationsOfArtifact(name)}
        slots={status.attestations_statuses}
        target={{ artifact: name, fingerprint }}
      />
      {status.earlier_builds.map(build => (
        <EarlierBuild key={build.artifact_id} org={org} trail={trail} name={name} build={build} />
      ))}
    </StatusCard>
  )
}

interface EarlierBuildProps extends TrailProps {
  name: string
  build: Schemas['BuildStatus']
}

function EarlierBuild({ org, trail, name, build }: EarlierBuildProps) {
  const { artifact_fingerprint: fingerprint, artifact_id, status, attestations_statuses } = build
  return (
    <Stack gap="xs" mt="md">
      <Group justify="space-between">
        <Title order={3} size="h5">
          {texts.status.earlierBuild}
        </Title>
        <StateBadge by="template" state={status} />
      </Group>
      <Text size="sm">
        <ArtifactLink org={org} flow={trail.flow_name} fingerprint={fingerprint} artifact_id={artifact_id} />{' '}
        {texts.status.counts} <code>supersedes_earlier</code>.
      </Text>
      <SlotTable
        org={org}
        trail={trail}
        label={texts.status.attestationsOfEarlierBuild(name)}
        slots={attestations_statuses}
        target={{ artifact: name, fingerprint }}
      />
    </Stack>
  )
}

function Waiting({ org, trail }: TrailProps) {
  const { waiting } = trail.compliance_status
  if (waiting.length === 0) return null
  return (
    <StatusCard title={texts.status.waiting} badge={<StateBadge by="template" state="WAITING" />}>
      <Text size="sm" mb="xs">
        {texts.status.waitingHint}
      </Text>
      <List size="sm">
        {waiting.map(({ attestation_id, attestation_name, waiting_for }) => (
          <List.Item key={attestation_id} className="long-name">
            <AttestationLink
              org={org}
              flow={trail.flow_name}
              trail={trail.name}
              attestation_id={attestation_id}
            >
              {attestation_name}
            </AttestationLink>
            : {waiting_for}
          </List.Item>
        ))}
      </List>
    </StatusCard>
  )
}
