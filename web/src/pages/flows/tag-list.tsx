// Tags as small labels.
import { Badge, Group } from '@mantine/core'

export function TagList({ tags }: { tags: Record<string, string> }) {
  return (
    <Group gap={4}>
      {Object.entries(tags).map(([key, value]) => (
        <Badge key={key} variant="default" tt="none" fw={500}>
          {key}: {value}
        </Badge>
      ))}
    </Group>
  )
}
