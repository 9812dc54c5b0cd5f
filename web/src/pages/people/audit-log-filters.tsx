// The filters of the membership log.
import { MultiSelect, NativeSelect } from '@mantine/core'
import { ROLE_CHOICES, ROLES } from '../../parts/use-role.ts'
import { TextFilter } from '../../ui/filters.tsx'
import { pickOne, pickSome } from '../../ui/search-params.ts'
import { type FiltersProps, LogFilters } from './log-filters.tsx'
import { type AuditLogSearch, DEFAULT_CHANGES, EVENT_TYPES, SOURCES } from './search-params.ts'
import { peopleTexts as texts } from './texts.ts'

export function AuditLogFilters({ search, onChange, onClear }: FiltersProps<AuditLogSearch>) {
  return (
    <LogFilters search={search} onChange={onChange} onClear={onClear} default_per_page={DEFAULT_CHANGES}>
      <TextFilter
        label={texts.auditLog.search}
        value={search.search}
        onChange={text => onChange({ search: text })}
      />
      <NativeSelect
        label={texts.auditLog.change}
        data={[{ value: '', label: texts.auditLog.anyChange }, ...EVENT_TYPES]}
        value={search.event_type ?? ''}
        onChange={({ currentTarget }) => onChange({ event_type: pickOne(currentTarget.value, EVENT_TYPES) })}
      />
      <MultiSelect
        label={texts.auditLog.newRole}
        data={ROLE_CHOICES}
        value={search.role ?? []}
        clearable
        clearButtonProps={{ 'aria-label': texts.auditLog.anyRole }}
        miw={180}
        onChange={chosen => onChange({ role: pickSome(chosen, ROLES) })}
      />
      <MultiSelect
        label={texts.auditLog.source}
        data={[...SOURCES]}
        value={search.source ?? []}
        clearable
        clearButtonProps={{ 'aria-label': texts.auditLog.anySource }}
        miw={180}
        onChange={chosen => onChange({ source: pickSome(chosen, SOURCES) })}
      />
    </LogFilters>
  )
}
