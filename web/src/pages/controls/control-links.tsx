// The links of a control. Anything but a web address is shown as text.
import { Group } from '@mantine/core'
import { ExternalLink, isWebUrl } from '../../ui/external-link.tsx'

export function ControlLinks({ links }: { links: Record<string, string> }) {
  const entries = Object.entries(links)
  if (entries.length === 0) return null
  return (
    <Group gap="md" fz="sm">
      {entries.map(([label, url]) => (
        <ExternalLink key={label} href={url}>
          {isWebUrl(url) ? label : `${label}: ${url}`}
        </ExternalLink>
      ))}
    </Group>
  )
}
