// The query parameters of deployment trends.
import { PERIODS, type Period } from '../../parts/periods.ts'
import { dropUndefined, pickOne, type RawSearch, readText } from '../../ui/search-params.ts'

export interface TrendsSearch {
  period?: Period
  environment?: string
}

export function parseTrendsSearch(typed: RawSearch): TrendsSearch {
  return dropUndefined({
    period: pickOne(typed.period, PERIODS),
    environment: readText(typed.environment),
  })
}
