// Why an artifact is not compliant, and what would make it so.
import { Alert, List, Text } from '@mantine/core'
import { ControlLink, PolicyLink, TrailLink } from '../../parts/links.tsx'
import type { Reason } from './answers.ts'

export function Reasons({ org, reasons }: { org: string; reasons: readonly Reason[] }) {
  if (reasons.length === 0) return null
  return (
    <Alert color="red" variant="light" p="xs" title="Why it is not compliant" role="group">
      <List size="sm" spacing={6}>
        {reasons.map(reason => (
          <List.Item key={`${reason.policy_name} ${reason.rule} ${reason.description}`}>
            <Text size="sm" fw={600}>
              {reason.description}
            </Text>
            <Text size="sm">
              Expected: {reason.expected}. Found: {reason.found}.
            </Text>
            <Text size="sm">To fix it: {reason.remedy}</Text>
            <Text size="xs">
              Policy <PolicyLink org={org} policy={reason.policy_name} /> version {reason.policy_version}
              {reason.for_control !== null && (
                <>
                  , control <ControlLink org={org} identifier={reason.for_control} />
                </>
              )}
              {reason.flow_name !== null && reason.trail_name !== null && (
                <>
                  , trail <TrailLink org={org} flow={reason.flow_name} trail={reason.trail_name} />
                </>
              )}
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
