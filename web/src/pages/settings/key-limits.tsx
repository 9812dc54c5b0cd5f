// What a key can be limited to: the fields for a new one, and the words for one that is there.
import { MultiSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { environmentsQuery, flowNamesQuery } from '../../parts/queries.ts'
import { Details } from '../../ui/details.tsx'
import { type FieldErrors, findFieldError } from '../../ui/field-errors.ts'
import { formatList, formatListUpTo } from '../../ui/format-list.ts'
import { AddressesField } from './addresses-field.tsx'
import type { ApiKey, NewKey } from './key-owners.ts'
import { OPERATIONS, type Operation, OperationsField } from './operations-field.tsx'

const NAMED_AT_MOST = 5

export interface Limits {
  operations: Operation[]
  flows: string[]
  environments: string[]
  allowed_addresses: string[]
}

export const NO_LIMITS: Limits = {
  operations: [...OPERATIONS],
  flows: [],
  environments: [],
  allowed_addresses: [],
}

/** What is no limit is not sent. */
export function sentLimits({ operations, flows, environments, allowed_addresses }: Limits): Partial<NewKey> {
  return {
    ...(operations.length < OPERATIONS.length && { operations }),
    ...(flows.length > 0 && { flows }),
    ...(environments.length > 0 && { environments }),
    ...(allowed_addresses.length > 0 && { allowed_addresses }),
  }
}

interface KeyLimitsProps {
  /** Whose flows and environments can be chosen; undefined for a personal key, which is for no single organization. */
  org: string | undefined
  limits: Limits
  errors: FieldErrors
  onChange: (limits: Limits) => void
}

export function KeyLimits({ org, limits, errors, onChange }: KeyLimitsProps) {
  return (
    <Details title="Limits (optional)">
      <Stack>
        <OperationsField
          operations={limits.operations}
          error={findFieldError(errors, 'operations')}
          onChange={operations => onChange({ ...limits, operations })}
        />
        {org !== undefined && <Places org={org} limits={limits} errors={errors} onChange={onChange} />}
        <AddressesField
          description="IP addresses and CIDR ranges that the key may be used from"
          addresses={limits.allowed_addresses}
          errors={errors}
          path="allowed_addresses"
          onChange={allowed_addresses => onChange({ ...limits, allowed_addresses })}
        />
      </Stack>
    </Details>
  )
}

function Places({ org, limits, errors, onChange }: KeyLimitsProps & { org: string }) {
  const flows = useQuery(flowNamesQuery(org))
  const environments = useQuery(environmentsQuery(org))
  return (
    <>
      <MultiSelect
        label="Flows"
        description="With flows or environments chosen, the key works for those and for nothing else."
        searchable
        data={flows.data ?? []}
        value={limits.flows}
        error={flows.error?.message ?? findFieldError(errors, 'flows')}
        onChange={chosen => onChange({ ...limits, flows: chosen })}
      />
      <MultiSelect
        label="Environments"
        searchable
        data={environments.data?.map(({ name }) => name) ?? []}
        value={limits.environments}
        error={environments.error?.message ?? findFieldError(errors, 'environments')}
        onChange={chosen => onChange({ ...limits, environments: chosen })}
      />
    </>
  )
}

export function LimitsInWords({ apiKey }: { apiKey: ApiKey }) {
  const words = wordsOf(apiKey)
  if (words.length === 0) return <>None</>
  return words.map(line => (
    <Text key={line} size="sm" className="long-name">
      {line}
    </Text>
  ))
}

function wordsOf({ operations, flows, environments, allowed_addresses }: ApiKey): string[] {
  const places = [...named('flow', flows), ...named('environment', environments)]
  return [
    ...(operations ? [`Only ${formatList(operations)}`] : []),
    ...(places.length > 0 ? [`Only ${formatList(places)}`] : []),
    ...(allowed_addresses.length > 0
      ? [`Only from ${formatListUpTo(NAMED_AT_MOST, allowed_addresses)}`]
      : []),
  ]
}

const named = (kind: string, names: string[] | null) =>
  names ? [`${names.length === 1 ? kind : `${kind}s`} ${formatListUpTo(NAMED_AT_MOST, names)}`] : []
