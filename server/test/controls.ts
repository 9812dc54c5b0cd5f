// Controls for tests: created through the API, with decisions on them and policies that require them.
import { expect } from 'vitest'
import type { Contract } from '../src/api/operation.ts'
import { type Client, makeFile, ORG, type TestApp } from './harness.ts'

const READ_CONTROL = 'control-to-read'
const decided = new WeakMap<TestApp, string>()

export async function addControl(app: TestApp, identifier: string, more: Record<string, unknown> = {}) {
  const made = await app.admin.post(`/controls/${ORG}`, { identifier, name: identifier, ...more })
  expect(made.status).toBe(201)
}

/** The body of a decision, as evidence on a trail. */
export const buildDecision = (
  control: string,
  is_compliant: boolean,
  more: Record<string, unknown> = {},
) => ({
  attestation_name: `on-${control}`,
  type_name: 'decision',
  control,
  attestation_data: { is_compliant },
  ...more,
})

/** Policy YAML that requires a decision on each control. */
export function buildControlPolicy(...controls: string[]): string {
  const rules = controls.map(control => `    - {type: decision, for_control: ${control}}\n`)
  return `_schema: https://waybill.example/v1\nartifacts:\n  attestations:\n${rules.join('')}`
}

/** Creates the control that an operation works on, with a decision on it if needed. */
export async function prepareControl(
  { path, example }: Contract,
  where: TestApp,
  name: string,
): Promise<void> {
  if (!path.startsWith('/controls/{org}/')) return
  const identifier = example?.params?.identifier ?? READ_CONTROL
  await where.admin.post(`/controls/${ORG}`, { identifier, name, description: name })
  if (path.endsWith('/unarchive')) await where.admin.post(`/controls/${ORG}/${identifier}/archive`, null)
  if (!path.endsWith('{decision_id}')) return
  await fillDecision(where.admin, ORG, identifier, 'flow-for-getControlDecision')
  const { body } = await where.admin.get(`/controls/${ORG}/${identifier}/decisions`)
  decided.set(where, body.decisions[0].id)
}

export function readControlParams(where: TestApp): Record<string, string> {
  return { identifier: READ_CONTROL, decision_id: decided.get(where) ?? '' }
}

/** Far in the future. */
const IN_2100_S = 4_102_444_800

/** Fills every table about controls. The flow has a trail of the name `trail`. */
export async function fillControls(admin: Client, org: string, flow: string): Promise<void> {
  const made = await admin.post(`/controls/${org}`, { identifier: 'CTRL-1', name: 'Two people look' })
  expect(made.status).toBe(201)
  const reported = await admin.form('POST', `/attestations/${org}/${flow}/trail/trail/system`, {
    data_json: JSON.stringify(buildDecision('CTRL-1', true, { expires_at: IN_2100_S })),
    attachment_file: makeFile(`evidence of ${org}`),
  })
  expect(reported.status).toBe(201)
}

async function fillDecision(admin: Client, org: string, control: string, flow: string): Promise<void> {
  const path = `/attestations/${org}/${flow}/trail/trail/system`
  expect((await admin.post(path, buildDecision(control, true))).status).toBe(201)
}
