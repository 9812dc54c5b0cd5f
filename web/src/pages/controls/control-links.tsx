// Addresses outside, such as the text of a requirement. What is not a web address stays text.
import { Anchor, Group, Text } from '@mantine/core'

export function ControlLinks({ links }: { links: Record<string, string> }) {
  const entries = Object.entries(links)
  if (entries.length === 0) return null
  return (
    <Group gap="md">
      {entries.map(([label, address]) =>
        /^https?:\/\//i.test(address) ? (
          <Anchor key={label} href={address} target="_blank" rel="noopener noreferrer" size="sm">
            {label}
          </Anchor>
        ) : (
          <Text key={label} size="sm">
            {label}: {address}
          </Text>
        ),
      )}
    </Group>
  )
}
