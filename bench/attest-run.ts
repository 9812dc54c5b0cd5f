// Attests to random trails of an organization that `fillOrg` has filled, over HTTP.
import { type BenchService, ORG } from './bench-service.ts'
import { nameFlow, nameTrail } from './fill-org.ts'
import { formatRequest, type LoadResult, type Rate, runLoad } from './http-load.ts'

export const REPORT = {
  origin_url: 'https://ci.example.com/shop/checkout/pipelines/771204',
  git_commit_info: {
    sha1: '9f2c1d0b8a7e6f5d4c3b2a190817263544536271',
    branch: 'main',
    author: 'Ada Pereira <ada@example.com>',
    message: 'Round totals',
  },
  user_data: { pipeline: 'checkout', runner: 'linux-large-07', labels: ['a', 'b', 'c'] },
}

export type Run = (clients: number, duration_ms: number) => Promise<Rate>

export function makeAttestRun({ port, key }: BenchService, trails: number) {
  const body = JSON.stringify({ ...REPORT, attestation_name: 'unit-tests', is_compliant: true })
  const next = () => {
    const n = 1 + Math.floor(Math.random() * trails)
    const path = `/api/v2/attestations/${ORG}/${nameFlow(n)}/trail/${nameTrail(n)}/generic`
    return formatRequest('POST', path, key, body)
  }
  return (clients: number, duration_ms: number): Promise<LoadResult> =>
    runLoad({ port, clients, next, status: 201, duration_ms })
}
