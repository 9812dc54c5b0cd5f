// Addresses outside, such as the text of a requirement. What is not a web address stays text.
import { Group } from '@mantine/core'
import { ExternalLink, isWebUrl } from '../../ui/external-link.tsx'

export function ControlLinks({ links }: { links: Record<string, string> }) {
  const entries = Object.entries(links)
  if (entries.length === 0) return null
  return (
    <Group gap="md" fz="sm">
      {entries.map(([label, address]) => (
        <ExternalLink key={label} href={address}>
          {isWebUrl(address) ? label : `${label}: ${address}`}
        </ExternalLink>
      ))}
    </Group>
  )
}
