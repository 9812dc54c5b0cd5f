// Why an artifact is not compliant, and what would make it so.
import { Alert, List, Text } from '@mantine/core'
import type { Reason } from './answers.ts'
import { PageLink, pathOf } from './links.tsx'

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
              Policy{' '}
              <PageLink to={pathOf(org, 'policies', reason.policy_name)}>{reason.policy_name}</PageLink>{' '}
              version {reason.policy_version}
              {reason.for_control !== null && (
                <>
                  , control{' '}
                  <PageLink to={pathOf(org, 'controls', reason.for_control)}>{reason.for_control}</PageLink>
                </>
              )}
              {reason.flow_name !== null && reason.trail_name !== null && (
                <>
                  , trail{' '}
                  <PageLink to={pathOf(org, 'flows', reason.flow_name, 'trails', reason.trail_name)}>
                    {reason.trail_name}
                  </PageLink>
                </>
              )}
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
