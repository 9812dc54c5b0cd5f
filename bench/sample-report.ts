// Environment reports for benchmarks: any number of pods, each with its own fingerprint.
import { createHash } from 'node:crypto'
import { type BenchService, ORG } from './bench-service.ts'

/** The same numbers always give the same pods. */
export function buildPodReport(numbers: readonly number[]): string {
  return JSON.stringify({
    artifacts: numbers.map(n => ({
      podName: `service-${n}-6d8f9c7b5d-x2x7q`,
      namespace: `team-${n % 20}`,
      digests: { [`registry.example.com/team/service-${n}:1.${n % 100}.0`]: buildFingerprint(n) },
      creationTimestamp: 1_772_539_200 + n,
      owners: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `service-${n}`, uid: `uid-${n}` }],
    })),
  })
}

export const buildFingerprint = (n: number): string =>
  createHash('sha256').update(`artifact ${n}`).digest('hex')

export const listNumbers = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => from + i)

export async function makeEnvironment({ put }: BenchService, name: string): Promise<void> {
  await put(`/environments/${ORG}`, { name, type: 'K8S', description: '' })
}

/** Sends a report and returns how long it took. */
export async function sendReport(
  { port, key }: BenchService,
  environment: string,
  body: string,
): Promise<number> {
  const started_ms = performance.now()
  const response = await fetch(
    `http://127.0.0.1:${port}/api/v2/environments/${ORG}/${environment}/report/K8S`,
    { method: 'PUT', body, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } },
  )
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  return performance.now() - started_ms
}

/** Reads a complete response and returns how long it took. */
export async function timeRead({ port, key }: BenchService, path: string): Promise<number> {
  const started_ms = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/api/v2${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  return performance.now() - started_ms
}
