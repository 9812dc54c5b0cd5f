// The filters of the event log.
import { MultiSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { SuggestFilter } from '../../ui/suggest-filter.tsx'
import { EVENT_KINDS } from './event-kinds.ts'
import { type FiltersProps, LogFilters } from './log-filters.tsx'
import { auditEventValuesQuery } from './queries.ts'
import { type AuditEventsSearch, DEFAULT_EVENTS } from './search-params.ts'
import { peopleTexts as texts } from './texts.ts'

const TEXT_FILTERS = [
  { name: 'actor', values: 'actors', label: texts.auditEvents.actor },
  { name: 'flow_name', values: 'flows', label: texts.auditEvents.flow },
  { name: 'environment_name', values: 'environments', label: texts.auditEvents.environment },
  { name: 'control', values: 'controls', label: texts.auditEvents.control },
] as const

/** Kinds that the organization has come first. */
function groupKinds(known: readonly string[]) {
  const toItem = (value: string) => ({ value, label: value.replaceAll('_', ' ') })
  return [
    {
      group: texts.auditEvents.kindsRecorded,
      items: EVENT_KINDS.filter(kind => known.includes(kind)).map(toItem),
    },
    {
      group: texts.auditEvents.kindsOther,
      items: EVENT_KINDS.filter(kind => !known.includes(kind)).map(toItem),
    },
  ].filter(({ items }) => items.length > 0)
}

interface Props extends FiltersProps<AuditEventsSearch> {
  org: string
}

export function AuditEventsFilters({ org, search, onChange, onClear }: Props) {
  // Without a response, the filters suggest nothing but still work.
  const values = useQuery(auditEventValuesQuery(org)).data
  return (
    <LogFilters search={search} onChange={onChange} onClear={onClear} default_per_page={DEFAULT_EVENTS}>
      <MultiSelect
        label={texts.auditEvents.kind}
        data={groupKinds(values?.kinds ?? [])}
        value={search.kind ?? []}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': texts.auditEvents.anyKind }}
        miw={220}
        maw="100%"
        onChange={chosen => {
          const kind = EVENT_KINDS.filter(each => chosen.includes(each))
          onChange({ kind: kind.length > 0 ? kind : undefined })
        }}
      />
      {TEXT_FILTERS.map(({ name, values: list, label }) => (
        <SuggestFilter
          key={name}
          label={label}
          suggestions={values?.[list] ?? []}
          value={search[name]}
          onChange={text => onChange({ [name]: text })}
        />
      ))}
    </LogFilters>
  )
}
