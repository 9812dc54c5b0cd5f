// A flow `ci` with a trail `run` and a custom attestation type `rule`, for attestations with a jq rule.
import { expect } from 'vitest'
import { type Client, makeFile } from './harness.ts'

export async function prepareRule(client: Client, org: string, rule = '.ok'): Promise<void> {
  await client.form('PUT', `/flows/${org}/template_file`, {
    data_json: JSON.stringify({ name: 'ci', description: '' }),
    template_file: makeFile('version: 1\n'),
  })
  await client.put(`/trails/${org}/ci`, { name: 'run' })
  const type = { name: 'rule', evaluator: { content_type: 'jq', rules: [rule] } }
  expect((await client.post(`/custom-attestation-types/${org}`, type)).status).toBe(201)
}
