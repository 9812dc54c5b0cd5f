// The environments that a policy is attached to, each a way to its page.
import { Anchor, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'

export function EnvironmentLinks({ org, names }: { org: string; names: string[] }) {
  if (names.length === 0)
    return (
      <Text size="sm" c="dimmed">
        nothing yet
      </Text>
    )
  return (
    <Group gap="xs">
      {names.map(environment => (
        <Anchor
          key={environment}
          size="sm"
          renderRoot={props => (
            <Link to="/$org/environments/$environment" params={{ org, environment }} {...props} />
          )}
        >
          {environment}
        </Anchor>
      ))}
    </Group>
  )
}
