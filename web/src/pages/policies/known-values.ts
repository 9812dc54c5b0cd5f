// Suggestions that come from the server: attestation types, and the org's controls and attestation names.
import { api, queries } from '../../api.ts'
import type { KnownValues, Suggestion } from './completions.ts'

const MAX_CONTROLS = 50
const MAX_REPORTS = 100
/** Names rarely change while somebody edits a policy. */
const FRESH_MS = 60_000

/** Errors are ignored: a missing suggestion is better than an interruption. */
export const buildKnownValues = (org: string): KnownValues => ({
  controls: search =>
    fetchCached(['controls', org, search], async () => {
      const query = { per_page: MAX_CONTROLS, ...(search === '' ? {} : { search }) }
      const { data } = await api.GET('/controls/{org}', { params: { path: { org }, query } })
      return (data?.controls ?? []).map(({ identifier, name }) => ({ label: identifier, detail: name }))
    }),
  types: () =>
    fetchCached(['types', org], async () => {
      const [built_in, custom] = await Promise.all([
        api.GET('/schemas/attestation-types/v1'),
        api.GET('/custom-attestation-types/{org}', { params: { path: { org } } }),
      ])
      return [
        ...(built_in.data ?? []).map(({ name, title }) => ({ label: name, detail: title })),
        ...(custom.data ?? [])
          .filter(({ archived }) => !archived)
          .map(({ name, description }) => ({ label: `custom:${name}`, detail: description ?? '' })),
      ]
    }),
  names: () =>
    fetchCached(['names', org], async () => {
      const params = { path: { org }, query: { per_page: MAX_REPORTS } }
      const { data } = await api.GET('/attestations/{org}', { params })
      const types = new Map(
        (data?.data ?? []).map(each => [each.attestation_name, each.attestation_type] as const),
      )
      return [...types].map(([label, detail]) => ({ label, detail }))
    }),
})

const fetchCached = (key: string[], load: () => Promise<Suggestion[]>) =>
  queries.fetchQuery({ queryKey: ['suggestions', ...key], queryFn: load, staleTime: FRESH_MS })
