// What the editor offers of the org itself: its controls, its own types, and the names that attestations have.
import { api, queries } from '../../api.ts'
import type { KnownValues, Offer } from './completions.ts'

const MOST_CONTROLS = 50
const MOST_REPORTS = 100
/** Names hardly change while somebody writes. */
const FRESH_MS = 60_000

/** To offer nothing is better than to disturb: what the server refuses is left out. */
export const knownValues = (org: string): KnownValues => ({
  controls: search =>
    remembered(['controls', org, search], async () => {
      const query = { per_page: MOST_CONTROLS, ...(search === '' ? {} : { search }) }
      const { data } = await api.GET('/controls/{org}', { params: { path: { org }, query } })
      return (data?.controls ?? []).map(({ identifier, name }) => ({ label: identifier, detail: name }))
    }),
  types: () =>
    remembered(['types', org], async () => {
      const { data } = await api.GET('/custom-attestation-types/{org}', { params: { path: { org } } })
      return (data ?? [])
        .filter(({ archived }) => !archived)
        .map(({ name, description }) => ({ label: `custom:${name}`, detail: description ?? '' }))
    }),
  names: () =>
    remembered(['names', org], async () => {
      const params = { path: { org }, query: { per_page: MOST_REPORTS } }
      const { data } = await api.GET('/attestations/{org}', { params })
      const types = new Map(
        (data?.data ?? []).map(each => [each.attestation_name, each.attestation_type] as const),
      )
      return [...types].map(([label, detail]) => ({ label, detail }))
    }),
})

const remembered = (what: string[], ask: () => Promise<Offer[]>) =>
  queries.fetchQuery({ queryKey: ['offered', ...what], queryFn: ask, staleTime: FRESH_MS })
