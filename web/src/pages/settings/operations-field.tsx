// What a key may do, in four words with a line each: for keys, and for the rules that give keys to builds.
import { Checkbox, Stack } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'

export type Operation = NonNullable<Schemas['ApiKey']['operations']>[number]

export const OPERATIONS: readonly Operation[] = ['read', 'report', 'attest', 'administer']
/** What builds need. */
export const BUILD_OPERATIONS: readonly Operation[] = ['read', 'report', 'attest']

const MEANINGS: Record<Operation, string> = {
  read: 'Read everything that its role can see',
  report: 'Begin trails, report artifacts and what runs in environments',
  attest: 'Report attestations',
  administer: 'Everything else, such as changing flows, overriding, approving and archiving',
}

interface OperationsFieldProps {
  operations: readonly Operation[]
  error: string | undefined
  onChange: (operations: Operation[]) => void
}

export function OperationsField({ operations, error, onChange }: OperationsFieldProps) {
  return (
    <Checkbox.Group
      label="Operations"
      description="What the key may do, as far as its role allows"
      value={[...operations]}
      error={error}
      onChange={chosen => onChange(OPERATIONS.filter(each => chosen.includes(each)))}
    >
      <Stack gap="xs" my="xs">
        {OPERATIONS.map(each => (
          <Checkbox key={each} value={each} label={each} description={MEANINGS[each]} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
