// A decision on a control: which control, and what it rests on.
import { Anchor, Stack, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Facts } from '../facts.tsx'
import { Folded } from '../folded.tsx'
import { RawJson } from './raw-json.tsx'

interface DecisionProps {
  org: string
  control: string
  data: unknown
}

export function Decision({ org, control, data }: DecisionProps) {
  const values = data !== null && typeof data === 'object' ? Object.entries(data) : []
  const plain = values.filter(([key, value]) => key !== 'is_compliant' && typeof value !== 'object')
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        Decision
      </Title>
      <Facts
        rows={[
          [
            'Control',
            <Anchor
              key="control"
              inherit
              renderRoot={props => (
                <Link to="/$org/controls/$identifier" params={{ org, identifier: control }} {...props} />
              )}
            >
              {control}
            </Anchor>,
          ],
          ...plain.map(([key, value]) => [key, String(value)] as const),
        ]}
      />
      <Folded title="Data of the decision">
        <RawJson value={data} />
      </Folded>
    </Stack>
  )
}
