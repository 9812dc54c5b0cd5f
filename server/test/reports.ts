// Pipeline reports, for tests.
import type { TestApp } from './harness.ts'
import { makeFile } from './harness.ts'

export const SHA = '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1'
export const OTHER_SHA = '0000000000000000000000000000000000000001'
export const WIRE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}$/

/** A fingerprint that starts with this text. */
export const makeFingerprint = (start: string) => start.padEnd(64, start.at(-1))

/** The report of a build, in the older form unless a trail is given. */
export const makeBuild = (fingerprint: string, more: Record<string, unknown> = {}) => ({
  fingerprint,
  filename: 'image:1',
  git_commit: SHA,
  build_url: 'https://ci.example.com/1',
  commit_url: 'https://git.example.com/1',
  ...more,
})

export const nameTrail = (trail_name: string, template_reference_name = 'image') => ({
  trail_name,
  template_reference_name,
})

export const makeSuites = (failures: number) => [
  { name: 'unit', failures, errors: 0, skipped: 0, total: 3, duration: 1.5 },
]

export async function makeFlow(app: TestApp, name: string, template = 'version: 1\n'): Promise<void> {
  await app.member.form('PUT', '/flows/acme/template_file', {
    data_json: JSON.stringify({ name, description: '' }),
    template_file: makeFile(template),
  })
}

/** Row counts that a rejected request must not change. */
export async function readStoredRows(app: TestApp) {
  const [row] = await app.sql(`select (select count(*)::int from trails) as trails,
    (select count(*)::int from artifacts) as artifacts, (select count(*)::int from attestations) as attestations,
    (select count(*)::int from evidence_slots) as slots, (select count(*)::int from events) as events`)
  return row
}
