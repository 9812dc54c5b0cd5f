// Lists of links to policies and environments.
import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { EnvironmentLink, PolicyLink } from './links.tsx'
import { partsTexts as texts } from './texts.ts'

interface NamesProps {
  org: string
  names: readonly string[]
}

export function PolicyLinks({ org, names }: NamesProps) {
  return (
    <NameList none={texts.links.noPolicies}>
      {names.map(policy => (
        <PolicyLink key={policy} org={org} policy={policy} />
      ))}
    </NameList>
  )
}

export function EnvironmentLinks({ org, names }: NamesProps) {
  return (
    <NameList none={texts.links.noEnvironments}>
      {names.map(environment => (
        <EnvironmentLink key={environment} org={org} environment={environment} />
      ))}
    </NameList>
  )
}

function NameList({ none, children }: { none: string; children: ReactNode[] }) {
  if (children.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    )
  return (
    <Group gap="xs" fz="sm">
      {children}
    </Group>
  )
}
