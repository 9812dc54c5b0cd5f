// The events of an artifact, newest first.
import { Card, Text, Timeline, Title } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { artifactTexts as texts } from './texts.ts'

export function ArtifactHistory({ artifact }: { artifact: Schemas['Artifact'] }) {
  const newest_first = artifact.history.toReversed()
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="sm">
        {texts.artifact.history}
      </Title>
      <Timeline bulletSize={14} lineWidth={2}>
        {newest_first.map(({ event, timestamp }) => (
          <Timeline.Item key={`${timestamp} ${event}`}>
            <Text size="sm">{event}</Text>
            <Text size="xs" c="dimmed">
              <RelativeTime at={timestamp} />
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Card>
  )
}
