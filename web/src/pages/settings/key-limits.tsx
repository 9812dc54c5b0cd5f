// The limits of a key: the fields for a new key, and the summary of an existing one.
import { MultiSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { environmentsQuery, flowNamesQuery } from '../../parts/queries.ts'
import { Details } from '../../ui/details.tsx'
import { type FieldErrors, findFieldError } from '../../ui/field-errors.ts'
import { pluralize } from '../../ui/format-count.ts'
import { formatList, formatListUpTo } from '../../ui/format-list.ts'
import { AddressesField } from './addresses-field.tsx'
import type { ApiKey, NewKey } from './key-owners.ts'
import { OPERATIONS, type Operation, OperationsField } from './operations-field.tsx'
import { settingsTexts } from './texts.ts'
import { accountsTexts as texts } from './texts-accounts.ts'

const MAX_NAMED = 5

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

/** Omits fields that limit nothing. */
export function toSentLimits({
  operations,
  flows,
  environments,
  allowed_addresses,
}: Limits): Partial<NewKey> {
  return {
    ...(operations.length < OPERATIONS.length && { operations }),
    ...(flows.length > 0 && { flows }),
    ...(environments.length > 0 && { environments }),
    ...(allowed_addresses.length > 0 && { allowed_addresses }),
  }
}

interface KeyLimitsProps {
  /** The org whose flows and environments can be chosen; undefined for a personal key, which works in every org. */
  org: string | undefined
  limits: Limits
  errors: FieldErrors
  onChange: (limits: Limits) => void
}

export function KeyLimits({ org, limits, errors, onChange }: KeyLimitsProps) {
  return (
    <Details title={texts.keyDialog.limits}>
      <Stack>
        <OperationsField
          operations={limits.operations}
          error={findFieldError(errors, 'operations')}
          onChange={operations => onChange({ ...limits, operations })}
        />
        {org !== undefined && (
          <ResourceFields org={org} limits={limits} errors={errors} onChange={onChange} />
        )}
        <AddressesField
          description={settingsTexts.addresses.ofKey}
          addresses={limits.allowed_addresses}
          errors={errors}
          path="allowed_addresses"
          onChange={allowed_addresses => onChange({ ...limits, allowed_addresses })}
        />
      </Stack>
    </Details>
  )
}

function ResourceFields({ org, limits, errors, onChange }: KeyLimitsProps & { org: string }) {
  const flows = useQuery(flowNamesQuery(org))
  const environments = useQuery(environmentsQuery(org))
  return (
    <>
      <MultiSelect
        label={texts.keyDialog.flows}
        description={texts.keyDialog.flowsHelp}
        searchable
        data={flows.data ?? []}
        value={limits.flows}
        error={flows.error?.message ?? findFieldError(errors, 'flows')}
        onChange={chosen => onChange({ ...limits, flows: chosen })}
      />
      <MultiSelect
        label={texts.keyDialog.environments}
        searchable
        data={environments.data?.map(({ name }) => name) ?? []}
        value={limits.environments}
        error={environments.error?.message ?? findFieldError(errors, 'environments')}
        onChange={chosen => onChange({ ...limits, environments: chosen })}
      />
    </>
  )
}

export function LimitSummary({ apiKey }: { apiKey: ApiKey }) {
  const limits = describeLimits(apiKey)
  if (limits.length === 0) return <>{texts.keys.noLimits}</>
  return limits.map(line => (
    <Text key={line} size="sm" className="long-name">
      {line}
    </Text>
  ))
}

function describeLimits({ operations, flows, environments, allowed_addresses }: ApiKey): string[] {
  const resources = [
    ...describeResources(texts.keys.flow, flows),
    ...describeResources(texts.keys.environment, environments),
  ]
  return [
    ...(operations ? [texts.keys.onlyOperations(formatList(operations))] : []),
    ...(resources.length > 0 ? [texts.keys.onlyResources(formatList(resources))] : []),
    ...(allowed_addresses.length > 0
      ? [texts.keys.onlyFrom(formatListUpTo(MAX_NAMED, allowed_addresses))]
      : []),
  ]
}

const describeResources = (kind: string, names: string[] | null) =>
  names ? [`${names.length === 1 ? kind : pluralize(kind)} ${formatListUpTo(MAX_NAMED, names)}`] : []
