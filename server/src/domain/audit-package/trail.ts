// Compares the trail or the artifact of an audit package with its leaves, and says which evidence belongs to it.
import { type Comparison, compareFields, OPERATOR_ONLY, toSeconds } from './comparison.ts'
import type { ProvenLeaf } from './proven-leaf.ts'
import { parse, parseValues, toList, toValues, type Values } from './records.ts'

/** The newest change of the trail. */
export function findLeafOfTrail({ id }: Values, leaves: readonly ProvenLeaf[]): ProvenLeaf | undefined {
  return leaves.findLast(({ kind, ids }) => /^trail_(reported|updated)$/.test(kind) && ids.trail === id)
}

export function compareTrail(record: Values, leaf: ProvenLeaf): Comparison {
  const row = parseValues(leaf.contents.get('trail'))
  const known = { id: leaf.ids.trail }
  if (!row) return compareFields(record, known, leaf)
  const { template_sha256: _, external_urls, user_data, ...others } = row
  const proven = {
    ...known,
    ...others,
    // Their texts are in the row.
    external_urls: parse(String(external_urls)) ?? {},
    user_data: parse(String(user_data)) ?? {},
  }
  return compareFields(record, proven, leaf)
}

export const REPORTS_WITHOUT_LEAF = 'reports without a leaf'

const REPORTED = 'artifact_creation_reported'

/** One artifact, in each of its trails, with its reports. */
export function compareArtifacts(records: readonly Values[], leaves: readonly ProvenLeaf[]): Comparison {
  const by_report = new Map(
    leaves.filter(({ kind }) => kind === REPORTED).map(leaf => [leaf.data.report_id, leaf]),
  )
  const compared = records.flatMap(record => compareReports(record, by_report))
  return {
    proved_by: compared.flatMap(({ proved_by }) => proved_by).sort((a, b) => a - b),
    operator_only: [...new Set(compared.flatMap(({ operator_only }) => operator_only))],
    contradicted: [...new Set(compared.flatMap(({ contradicted }) => contradicted))],
  }
}

/** The newest report has the present fields of the artifact. */
function compareReports(record: Values, by_report: ReadonlyMap<unknown, ProvenLeaf>): Comparison[] {
  const { reports, ...present } = record
  return toList(reports).map((report, nth) => {
    const leaf = by_report.get(report.id)
    if (!leaf) return { ...OPERATOR_ONLY, operator_only: [REPORTS_WITHOUT_LEAF] }
    const { id: artifact_id, fingerprint } = present
    const { data } = leaf
    const isOfArtifact = data.artifact_id === artifact_id && data.artifact_fingerprint === fingerprint
    const of_report = compareFields(report, toProvenReport(leaf), leaf)
    const of_artifact = nth === 0 ? compareFields(present, toProvenArtifact(leaf), leaf) : undefined
    return {
      proved_by: [leaf.index],
      operator_only: [
        ...(of_artifact?.operator_only ?? []),
        ...of_report.operator_only.map(field => `reports.${field}`),
      ],
      contradicted: [
        ...(isOfArtifact ? [] : [`artifact of report ${report.id}`]),
        ...(of_artifact?.contradicted.map(field => `${field} of artifact ${artifact_id}`) ?? []),
        ...of_report.contradicted.map(field => `${field} of report ${report.id}`),
      ],
    }
  })
}

/** The fields that a report and its artifact have in common. */
function toProvenFields({ data, parts, contents, is_imported }: ProvenLeaf): Values {
  const report = parseValues(contents.get('report'))
  return {
    filename: data.artifact_name,
    git_commit: data.git_commit ?? '',
    git_commit_info: data.git_commit_info ?? null,
    // An imported leaf has no facts.
    ...(!is_imported && { is_compliant: toValues(parts.facts).is_compliant ?? null }),
    ...(report && {
      commit_url: report.commit_url,
      build_url: report.build_url,
      repo_url: report.repo_url ?? '',
      annotations: report.annotations ?? {},
      description: report.description ?? '',
      collected_at: report.collected_at ?? null,
      spooled: report.spooled ?? false,
      fingerprint_method: report.fingerprint_method ?? null,
    }),
  }
}

function toProvenReport(leaf: ProvenLeaf): Values {
  const { data, actor, happened_at } = leaf
  return {
    ...toProvenFields(leaf),
    id: data.report_id,
    reported_by: actor,
    reported_at: toSeconds(happened_at),
  }
}

function toProvenArtifact(leaf: ProvenLeaf): Values {
  const { data, contents } = leaf
  const report = parseValues(contents.get('report'))
  return {
    ...toProvenFields(leaf),
    id: data.artifact_id,
    fingerprint: data.artifact_fingerprint,
    template_reference_name: data.template_reference_name,
    ...(report && {
      template: report.template ?? null,
      commits_list: report.commits_list ?? [],
      repo_info: report.repo_info ?? null,
      external_urls: report.external_urls ?? {},
      user_data: report.user_data ?? {},
    }),
  }
}

/** Whose evidence may be in a package. */
export interface Scope {
  /** Undefined if the package does not prove them all. */
  trails: ReadonlySet<unknown> | undefined
  /** Undefined for a trail, which may have several artifacts. */
  artifact: { fingerprint: unknown; reported: readonly ProvenLeaf[] } | undefined
}

export const scopeOfTrail = ({ id }: Values): Scope => ({ trails: new Set([id]), artifact: undefined })

export function scopeOfArtifacts(records: readonly Values[], leaves: readonly ProvenLeaf[]): Scope {
  const fingerprint = records[0]?.fingerprint
  const reported = leaves.filter(
    ({ kind, data }) => kind === REPORTED && data.artifact_fingerprint === fingerprint,
  )
  const isProven = records.every(({ id }) => reported.some(({ data }) => data.artifact_id === id))
  const trails = isProven ? new Set(reported.map(({ ids }) => ids.trail)) : undefined
  return { trails, artifact: { fingerprint, reported } }
}

/** The leaf of evidence of another trail, or of another artifact, contradicts the package. */
export function refuseForeign(compared: Comparison, leaf: ProvenLeaf, scope: Scope | undefined): Comparison {
  if (!scope) return compared
  const isOfTrail = scope.trails?.has(leaf.ids.trail) ?? true
  const foreign = [...(isOfTrail ? [] : ['trail']), ...(isOfArtifact(leaf, scope) ? [] : ['artifact'])]
  return { ...compared, contradicted: [...compared.contradicted, ...foreign] }
}

function isOfArtifact(leaf: ProvenLeaf, { trails, artifact }: Scope): boolean {
  if (!artifact) return true
  const { artifact_fingerprint } = leaf.data
  if (typeof artifact_fingerprint === 'string') return artifact_fingerprint === artifact.fingerprint
  // Early evidence names the artifact and its commit. An imported leaf may not have all names.
  if (leaf.kind !== 'trail_attestation_for_artifact_reported') return false
  if (!trails || leaf.is_imported) return true
  const { git_commit, target_artifacts = [leaf.data.target_artifact] } = toValues(leaf.parts.facts)
  return artifact.reported.some(
    ({ data }) =>
      data.git_commit === git_commit &&
      Array.isArray(target_artifacts) &&
      target_artifacts.includes(data.template_reference_name),
  )
}
