// A running artifact in one or two lines: its state, name, version, start time and the first reason. A click
// shows everything else.
import { ActionIcon, Badge, Card, Group, Text, Title } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { replaceEqualDeep } from '@tanstack/react-query'
import { memo, useId, useState } from 'react'
import { ArtifactLink } from '../../parts/links.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import type { ExitedArtifact as Exited, SnapshotArtifact } from './answers.ts'
import styles from './artifact-card.module.css'
import { AllowListed, ArtifactDetails, type ArtifactProps, Unchecked } from './artifact-details.tsx'
import { describeChange } from './describe-change.ts'
import { historyTexts as texts } from './texts-history.ts'

const ICON_SIZE = 16
/** A path, a name without a slash, and a version after a colon. */
const IMAGE = /^(.*\/)?([^/]*?)(:[^:/]+)?$/s

interface CardProps extends ArtifactProps {
  isOpenAtFirst: boolean
}

/** Memoized: most artifacts stay the same from one snapshot to the next. */
export const ArtifactCard = memo(
  FullCard,
  (before, after) =>
    before.org === after.org &&
    before.reported_by === after.reported_by &&
    before.allow_in === after.allow_in &&
    before.isOpenAtFirst === after.isOpenAtFirst &&
    replaceEqualDeep(before.artifact, after.artifact) === before.artifact,
)

function FullCard({ isOpenAtFirst, ...props }: CardProps) {
  const { org, artifact } = props
  const [chosen, setChosen] = useState<boolean>()
  const isOpen = chosen ?? isOpenAtFirst
  const id = useId()
  const Icon = isOpen ? IconChevronUp : IconChevronDown
  return (
    <Card withBorder component="article" aria-label={artifact.name} className={styles.card}>
      <div className={styles.row}>
        <StateBadge by="policies" state={artifact.compliance_state} />
        <Title order={3} size="h5" className={styles.name}>
          <ArtifactLink org={org} flow={artifact.flow_name} fingerprint={artifact.fingerprint}>
            <ArtifactName name={artifact.name} />
          </ArtifactLink>
        </Title>
        {artifact.annotation.type !== 'unchanged' && (
          <Badge variant="outline" className={styles.change}>
            {describeChange(artifact.annotation.type)}
          </Badge>
        )}
        <Started artifact={artifact} />
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={texts.card.details(artifact.name)}
          onClick={() => setChosen(!isOpen)}
        >
          <Icon size={ICON_SIZE} aria-hidden="true" />
        </ActionIcon>
      </div>
      <div id={id}>{isOpen ? <ArtifactDetails {...props} /> : <Note artifact={artifact} />}</div>
    </Card>
  )
}

/** Most image paths are the same; the version is what differs. */
function ArtifactName({ name }: { name: string }) {
  const [, path = '', short = name, version = ''] = IMAGE.exec(name) ?? []
  return (
    <>
      <span className={styles.path}>{path}</span>
      {short}
      <span className={styles.version}>{version}</span>
    </>
  )
}

function Started({ artifact: { creationTimestamp, annotation } }: { artifact: SnapshotArtifact }) {
  const started = creationTimestamp.filter(each => each > 0)
  return (
    <Text size="sm" c="dimmed" className={styles.started}>
      {started.length > 0 && (
        <>
          {texts.card.started} <RelativeTime at={Math.min(...started)} />,{' '}
        </>
      )}
      {texts.card.instances(annotation.now)}
    </Text>
  )
}

/** One line below the name: the first reason, who allowed it, or that nothing was checked. */
function Note({ artifact }: { artifact: SnapshotArtifact }) {
  const [first, ...others] = artifact.reasons_for_incompliance
  if (artifact.allow_listed)
    return (
      <Text size="sm" className={styles.note}>
        <AllowListed artifact={artifact} />
      </Text>
    )
  if (artifact.compliance_state === 'UNKNOWN') return <Unchecked />
  if (first === undefined) return null
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm" lineClamp={1} title={first.description} className={styles.note}>
        {first.description}
      </Text>
      {others.length > 0 && (
        <Text size="sm" c="dimmed" className={styles.more}>
          {texts.card.moreReasons(others.length)}
        </Text>
      )}
    </Group>
  )
}

export function ExitedArtifact({ org, artifact }: { org: string; artifact: Exited }) {
  return (
    <Text size="sm">
      <ArtifactLink org={org} flow={artifact.flow_name} fingerprint={artifact.fingerprint}>
        {artifact.name}
      </ArtifactLink>
      {texts.artifacts.stoppedInstances(artifact.was)}
      {artifact.environment_name && texts.card.inEnvironment(artifact.environment_name)}
    </Text>
  )
}
