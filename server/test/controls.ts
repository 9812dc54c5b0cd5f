// Controls for tests: made through the front door, decided on, and asked for by policies.
import { expect } from 'vitest'
import type { Contract } from '../src/api/operation.ts'
import { type Client, ORG, type TestApp } from './harness.ts'

const READ_CONTROL = 'control-to-read'
const decided = new WeakMap<TestApp, string>()

/** A control that is there. */
export async function addControl(app: TestApp, identifier: string, more: Record<string, unknown> = {}) {
  const made = await app.admin.post(`/controls/${ORG}`, { identifier, name: identifier, ...more })
  expect(made.status).toBe(201)
}

/** What decides on it, as a trail's evidence. */
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

/** Policy YAML that asks for a decision on each control. */
export function buildControlPolicy(...controls: string[]): string {
  const rules = controls.map(control => `    - {type: decision, for_control: ${control}}\n`)
  return `_schema: https://waybill.example/v1\nartifacts:\n  attestations:\n${rules.join('')}`
}

/** What an operation on a control is about, with a decision on it. */
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

/** Rows of an org in every table of controls. */
export async function fillControls(admin: Client, org: string): Promise<void> {
  const made = await admin.post(`/controls/${org}`, { identifier: 'CTRL-1', name: 'Two people look' })
  expect(made.status).toBe(201)
}

async function fillDecision(admin: Client, org: string, control: string, flow: string): Promise<void> {
  const path = `/attestations/${org}/${flow}/trail/trail/system`
  expect((await admin.post(path, buildDecision(control, true))).status).toBe(201)
}
