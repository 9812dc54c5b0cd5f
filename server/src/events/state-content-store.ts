// The content that a snapshot's leaf covers: the snapshot itself, and one line for each artifact that ran in it.

const hashText = (expression: string) => `encode(sha256(convert_to(${expression}, 'UTF8')), 'hex')`

/**
 * The hash of an artifact's reported details. A report may give a running artifact another name and other instances.
 */
export const hashDetail = (row: string, reported = row): string =>
  hashText(`${row}.fingerprint || e'\\n' || ${reported}.name || e'\\n' || ${reported}.instances::text`)

/** The hash of the evaluation behind an artifact's verdict. */
export const hashEvaluation = (row: string): string => hashText(`coalesce(${row}.evaluation::text, '')`)

/**
 * The text that represents a snapshot in the log, from a row of `snapshots s`. The first line is the snapshot. Then
 * follow the artifacts in the order of their keys: key, number of instances, hash of the reported details, verdict,
 * hash of the evaluation.
 */
export const formatState = (artifacts: string): string => `
  jsonb_build_object('compliant', s.compliant, 'compliant_count', s.compliant_count,
     'non_compliant_count', s.non_compliant_count, 'unknown_count', s.unknown_count,
     'applied_policies', s.applied_policies, 'members', s.members, 'cause', s.cause, 'actor', s.actor,
     'created_at', extract(epoch from s.created_at))::text || e'\\n' || coalesce((
    select string_agg(a.artifact_key || e'\\t' || a.instance_count || e'\\t'
      || a.detail_sha256 || e'\\t'
      || case a.compliant when true then 'C' when false then 'N' else 'U' end || e'\\t'
      || a.evaluation_sha256 || e'\\n', ''
      order by a.artifact_key collate "C")
    from (${artifacts}) a), '')`

/** The hash of that text. */
export const hashState = (artifacts: string): string => `
  encode(sha256(convert_to(${formatState(artifacts).trim()}, 'UTF8')), 'hex')`

/** The artifacts of a snapshot, from the intervals in which they ran and were evaluated. */
export const ARTIFACTS_OF_SNAPSHOT = `
  select r.artifact_key, r.instance_count, ${hashDetail('r')} as detail_sha256, v.compliant,
    ${hashEvaluation('v')} as evaluation_sha256
  from runs r
  left join verdicts v on v.org_id = r.org_id and v.environment_id = r.environment_id
    and v.artifact_key = r.artifact_key and v.from_index <= s.snapshot_index
    and (v.to_index is null or v.to_index > s.snapshot_index)
  where r.org_id = s.org_id and r.environment_id = s.environment_id and r.from_index <= s.snapshot_index
    and (r.to_index is null or r.to_index > s.snapshot_index)`
