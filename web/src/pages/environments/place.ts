// Where one is: the environment, the moment, and what the address says about the tab and its filters.
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { EnvironmentSearch } from './routes.ts'

export interface Place {
  org: string
  environment: string
  /** Null: now. */
  expression: string | null
  search: EnvironmentSearch
}

const ROUTE = '/$org/environments/$environment'

export function usePlace(): Place {
  const { org, environment } = useParams({ from: ROUTE })
  const { expression = null } = useParams({ strict: false })
  return { org, environment, expression, search: useSearch({ from: ROUTE }) }
}

/** Changes what is given and keeps the rest; undefined takes away. A changed filter starts at the first page again. */
export function useChangeSearch(): (change: Partial<Record<keyof EnvironmentSearch, unknown>>) => void {
  const navigate = useNavigate()
  const { search, org, environment, expression } = usePlace()
  return change => {
    const next = { ...search, page: undefined, ...change } as EnvironmentSearch
    const given = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined))
    if (expression === null)
      void navigate({ to: ROUTE, params: { org, environment }, search: given, replace: true })
    else
      void navigate({
        to: `${ROUTE}/snapshots/$expression`,
        params: { org, environment, expression },
        search: given,
        replace: true,
      })
  }
}

/** The number that an expression stands for, where that is plain; null where only the server can tell. */
export function indexOf(expression: string | null, latest: number): number | null {
  if (expression === null) return latest
  const behind = /^~(\d+)$/.exec(expression)
  if (behind) return latest - Number(behind[1])
  const counted = /^#?(-?\d+)$/.exec(expression)
  if (!counted) return null
  const number = Number(counted[1])
  return number < 0 ? latest + 1 + number : number
}

/** The first second of a day, or of the day after it, where the reader is. */
export function startOfDay(day: string, days_later: number): number {
  const date = new Date(`${day}T00:00:00`)
  date.setDate(date.getDate() + days_later)
  return date.getTime() / 1000
}
