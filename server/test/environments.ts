// Reports and policies, for tests that need running artifacts and verdicts.
import type { TestApp } from './harness.ts'
import { makeFingerprint } from './reports.ts'

export const STARTED_AT = 1_772_539_200

export interface Pod {
  /** The start of the fingerprint. */
  start: string
  pods?: string[]
}

/** A report of pods. A string is one pod of the artifact whose fingerprint starts with it. */
export function buildPodReport(...running: (string | Pod)[]) {
  return {
    artifacts: running.flatMap(given => {
      const { start, pods } = typeof given === 'string' ? { start: given, pods: undefined } : given
      return (pods ?? [`pod-${start}`]).map(podName => ({
        podName,
        namespace: 'default',
        digests: { [buildImageName(start)]: makeFingerprint(start) },
        creationTimestamp: STARTED_AT,
        owners: null,
      }))
    }),
  }
}

export const buildImageName = (start: string) => `registry.example.com/${start}:1`

export async function makeEnvironment(app: TestApp, name: string, more: Record<string, unknown> = {}) {
  return app.member.put('/environments/acme', { name, type: 'K8S', description: '', ...more })
}

export const report = (app: TestApp, environment: string, ...running: (string | Pod)[]) =>
  app.snapshotter.put(`/environments/acme/${environment}/report/K8S`, buildPodReport(...running))

/** A policy that requires provenance and generic attestations with these names. */
export const buildPolicyRequiring = (
  ...names: string[]
) => `_schema: https://waybill.example/schemas/policy/v1
artifacts:
  provenance:
    required: true
  attestations:
${names.map(name => `    - name: ${name}\n      type: generic\n`).join('') || '    []\n'}`

export const putPolicy = (app: TestApp, name: string, policy_yaml: string) =>
  app.member.put(`/policies/acme/${name}`, { policy_yaml })

export const attach = (app: TestApp, environment: string, ...policy_names: string[]) =>
  app.member.post(`/environments/acme/${environment}/policies`, { policy_names })

export async function readLatestSnapshot(app: TestApp, environment: string) {
  return (await app.reader.get(`/snapshots/acme/${environment}/-1`)).body
}

export async function readLatestIndex(app: TestApp, environment: string): Promise<number> {
  return (await app.reader.get(`/environments/acme/${environment}`)).body.latest_snapshot_index
}

/**
 * Lengthens the history of an environment with one snapshot by copying it, once for each second before that snapshot.
 */
export async function lengthenHistory(app: TestApp, name: string, snapshots: number) {
  const [row] = await app.sql(
    `update environments set latest_index = $2 where name = $1 returning org_id::text, environment_id::text`,
    [name, snapshots],
  )
  const environment = row as { org_id: string; environment_id: string }
  await app.sql(
    `update snapshots set created_at = created_at - ($2::int - 1) * interval '1 second' where environment_id = $1`,
    [environment.environment_id, snapshots],
  )
  await app.sql(
    `insert into snapshots (org_id, environment_id, snapshot_index, created_at, compliant, compliant_count,
       non_compliant_count, unknown_count, applied_policies, members, cause, actor)
     select org_id, environment_id, n, created_at + (n - 1) * interval '1 second', compliant, compliant_count,
       non_compliant_count, unknown_count, applied_policies, members, cause, actor
     from snapshots s, generate_series(2, $2::int) n where s.environment_id = $1`,
    [environment.environment_id, snapshots],
  )
  return environment
}
