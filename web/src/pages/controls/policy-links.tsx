// The policies that ask for decisions on a control, each a way to its page.
import { Anchor, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'

export function PolicyLinks({ org, names }: { org: string; names: string[] }) {
  if (names.length === 0)
    return (
      <Text size="sm" c="dimmed">
        no policy
      </Text>
    )
  return (
    <Group gap="xs">
      {names.map(policy => (
        <Anchor
          key={policy}
          size="sm"
          renderRoot={props => <Link to="/$org/policies/$policy" params={{ org, policy }} {...props} />}
        >
          {policy}
        </Anchor>
      ))}
    </Group>
  )
}
