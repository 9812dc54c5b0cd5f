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
