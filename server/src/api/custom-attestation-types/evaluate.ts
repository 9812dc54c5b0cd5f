// Evaluates a custom attestation: checks its data against the schema of the type and runs the rules, both from the
// latest version. Call it outside a transaction, because it waits for jq.
import { type CustomVerdict, type EvaluatedRule, evaluateRules } from '../../domain/custom-type/evaluate.ts'
import type { SummaryEntry, TypeVersion } from '../../domain/custom-type/version.ts'
import type { Jq } from '../../jq/engine.ts'
import { invalid } from '../../lib/errors.ts'
import type { CallerOrg, Deps } from '../operation.ts'
import { toJqOrg } from './jq-org.ts'
import { archivedType, noSuchType } from './problems.ts'
import * as store from './store.ts'

/** The field in which callers send the data. */
const DATA_FIELD = 'data_json.attestation_data'
const MAX_GROUPS = 100

export interface CustomEvaluation {
  type_version: number
  verdict: Pick<CustomVerdict, 'is_compliant' | 'expected' | 'found'>
  rules: EvaluatedRule[]
  /** The summary rows, computed with the version that was used for the evaluation. */
  summary: SummaryRow[][]
}

/** Throws 404 for an unknown or archived type, 400 for data that does not match the schema. */
export async function evaluateCustomAttestation(
  { db, jq: engine }: Pick<Deps, 'db' | 'jq'>,
  org: Pick<CallerOrg, 'org_id' | 'name' | 'sponsor' | 'quotas'>,
  type_name: string,
  attestation_data: unknown,
): Promise<CustomEvaluation> {
  const type = await store.findLatestVersion(db, org.org_id, type_name)
  if (!type) throw noSuchType(type_name, org.name)
  if (type.archived_at) throw archivedType(type_name, org.name)
  const jq = engine.forOrg(toJqOrg(org))
  if (type.type_schema) await refuseInvalidData(jq, type.type_schema, attestation_data)
  return { type_version: type.version, ...(await evaluateData(jq, type, attestation_data)) }
}

/** For data that matches the schema. */
export async function evaluateData(
  jq: Jq,
  { rules: programs, summary }: Pick<TypeVersion, 'rules' | 'summary'>,
  attestation_data: unknown,
): Promise<Omit<CustomEvaluation, 'type_version'>> {
  const outcomes = await jq.run(programs ?? [], attestation_data)
  const { rules, ...verdict } = evaluateRules(
    (programs ?? []).map((rule, i) => ({
      rule,
      outcome: outcomes[i] ?? { ok: false, reason: 'was not run' },
    })),
  )
  return { verdict, rules, summary: summary ? await buildSummaryRows(jq, summary, attestation_data) : [] }
}

async function refuseInvalidData(jq: Jq, schema: Record<string, unknown>, data: unknown): Promise<void> {
  const errors = await jq.listSchemaErrors(schema, data)
  if (!errors) return
  throw invalid(
    Object.fromEntries(Object.entries(errors).map(([path, sentence]) => [formatField(path), sentence])),
  )
}

function formatField(path: string): string {
  if (path === '') return DATA_FIELD
  return path.startsWith('[') ? DATA_FIELD + path : `${DATA_FIELD}.${path}`
}

export interface SummaryRow {
  name: string
  /** The values of the expression; empty when it fails. */
  values: unknown[]
  problem?: string
}

/** One group of rows, or one per element if the data is a list; of a long list only the first elements. */
export async function buildSummaryRows(
  jq: Jq,
  summary: readonly SummaryEntry[],
  attestation_data: unknown,
): Promise<SummaryRow[][]> {
  const elements = Array.isArray(attestation_data)
    ? attestation_data.slice(0, MAX_GROUPS)
    : [attestation_data]
  const expressions = summary.map(({ expression }) => expression)
  const groups: SummaryRow[][] = []
  // One element after the other, so that a long list does not block the jq engine for other requests.
  for (const element of elements) {
    const outcomes = await jq.run(expressions, element)
    // A program that was stopped at a limit must not run again for every element.
    const isLast = outcomes.some(outcome => !outcome.ok && outcome.stopped)
    groups.push(
      summary.map(({ name }, i) => {
        const outcome = outcomes[i]
        return outcome?.ok
          ? { name, values: outcome.values }
          : { name, values: [], problem: outcome?.reason ?? 'was not run' }
      }),
    )
    if (isLast) break
  }
  return groups
}
