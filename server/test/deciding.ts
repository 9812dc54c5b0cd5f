// Overrides and allow-list entries for tests of who may decide: each scene has its own trail and environment.
import { makeEnvironment } from './environments.ts'
import { type Client, ORG, type TestApp } from './harness.ts'
import { makeFingerprint } from './reports.ts'

export const FLOW = 'first'
const NO_DUTIES = {
  decision_role: 'member',
  decision_groups: [],
  separate_duties: false,
  separate_policy_authors: false,
  two_person_decisions: [],
}

let opened = 0

export type Scene = Awaited<ReturnType<typeof openScene>>

/** Switches off all requirements of the organization. */
export async function openScene(app: TestApp) {
  opened += 1
  const turn = opened
  const trail = `trail-${turn}`
  const environment = `place-${turn}`
  const save = (settings: Record<string, unknown>) => app.admin.patch(`/organizations/${ORG}`, { settings })
  await app.admin.put(`/flows/${ORG}`, { name: FLOW, description: '' })
  await app.admin.put(`/trails/${ORG}/${FLOW}`, { name: trail })
  await makeEnvironment(app, environment)
  await save(NO_DUTIES)
  const path = `/attestations/${ORG}/${FLOW}/trail/${trail}`
  return {
    turn,
    trail,
    environment,
    save,
    attest: (client: Client, is_compliant = false) =>
      client.post(`${path}/generic`, { attestation_name: 'scan', is_compliant }),
    override: (client: Client, more: object = {}) =>
      client.post(`${path}/override`, {
        attestation_name: 'scan',
        reason: 'A false alarm',
        new_compliance_status: true,
        original_attestation_type: 'generic',
        ...more,
      }),
    allow: (client: Client, more: object = {}, where = environment) =>
      client.put(`/allowlists/${ORG}/${where}`, {
        artifact_fingerprint: makeFingerprint('c'),
        artifact_name: 'app',
        description: 'Reviewed',
        ...more,
      }),
    readAllowed: async (where = environment) => (await app.reader.get(`/allowlists/${ORG}/${where}`)).body,
    /** The newest attestation of the trail. */
    readScan: async () => (await app.reader.get(`${path}/scan`)).body[0],
    readLastEvent: async (kind: string) => (await app.readEvents(kind)).at(-1),
  }
}
