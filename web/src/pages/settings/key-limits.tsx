// The limits of a key: the fields for a new key, and the summary of an existing one.
import { MultiSelect, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { environmentsQuery, flowNamesQuery } from '../../parts/queries.ts'
import { Details } from '../../ui/details.tsx'
import { pluralize } from '../../ui/format-count.ts'
import { formatList, formatListUpTo } from '../../ui/format-list.ts'
import { AddressesField } from './addresses-field.tsx'
import type { KeyDraft } from './key-limits-draft.ts'
import type { ApiKey } from './key-owners.ts'
import { OperationsField } from './operations-field.tsx'
import { settingsTexts } from './texts.ts'
import { accountsTexts as texts } from './texts-accounts.ts'

const MAX_NAMED = 5

interface KeyLimitsProps {
  /** The org whose flows and environments can be chosen; undefined for a personal key, which works in every org. */
  org: string | undefined
  form: UseFormReturnType<KeyDraft>
}

export function KeyLimits({ org, form }: KeyLimitsProps) {
  return (
    <Details title={texts.keyDialog.limits}>
      <Stack>
        <OperationsField {...form.getInputProps('operations')} />
        {org !== undefined && <ResourceFields org={org} form={form} />}
        <AddressesField
          description={settingsTexts.addresses.ofKey}
          {...form.getInputProps('allowed_addresses')}
        />
      </Stack>
    </Details>
  )
}

function ResourceFields({ org, form }: KeyLimitsProps & { org: string }) {
  const flows = useQuery(flowNamesQuery(org))
  const environments = useQuery(environmentsQuery(org))
  return (
    <>
      <MultiSelect
        label={texts.keyDialog.flows}
        description={texts.keyDialog.flowsHelp}
        searchable
        data={flows.data ?? []}
        {...form.getInputProps('flows')}
        error={flows.error?.message ?? form.errors.flows}
      />
      <MultiSelect
        label={texts.keyDialog.environments}
        searchable
        data={environments.data?.map(({ name }) => name) ?? []}
        {...form.getInputProps('environments')}
        error={environments.error?.message ?? form.errors.environments}
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
