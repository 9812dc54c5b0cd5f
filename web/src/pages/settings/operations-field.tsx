// The operations that a key can be limited to: for API keys and trust rules.
import { Checkbox, Stack } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import type { FieldProps } from '../../ui/use-draft.ts'
import { accountsTexts as texts } from './texts-accounts.ts'

export type Operation = NonNullable<Schemas['ApiKey']['operations']>[number]

export const OPERATIONS: readonly Operation[] = ['read', 'report', 'attest', 'administer']
/** The operations that builds need. */
export const BUILD_OPERATIONS: readonly Operation[] = ['read', 'report', 'attest']

export function OperationsField({ value = [], onChange, ...field }: FieldProps<readonly Operation[]>) {
  return (
    <Checkbox.Group
      {...field}
      label={texts.operations.label}
      description={texts.operations.help}
      value={[...value]}
      onChange={chosen => onChange(OPERATIONS.filter(each => chosen.includes(each)))}
    >
      <Stack gap="xs" my="xs">
        {OPERATIONS.map(each => (
          <Checkbox key={each} value={each} label={each} description={texts.operations[each]} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
