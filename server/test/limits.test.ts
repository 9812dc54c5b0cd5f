// The limits that docs/operations.md lists, met from outside: what is at the limit is not refused for it, and one more is
// 400 on that field. Limits of bytes, depth and time have tests of their own beside what enforces them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from './harness.ts'
import { examples } from './limit-examples.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
  await app.member.put('/environments/acme', { name: 'prod', type: 'K8S' })
  await app.member.post('/service-accounts/acme', { name: 'robot' })
})
afterAll(() => app.stop())

const errorsAt = async (example: (typeof examples)[number], size: number) => {
  const { method, path, body } = example.request(size)
  const { status, body: answer } = await app.admin.call(method, path, body)
  return { status, fields: Object.keys(answer?.errors ?? {}) }
}

describe('at most', () => {
  it.each(examples.map(example => [example.what, example.limit, example] as const))(
    '%s: %i',
    async (_what, limit, example) => {
      const within = await errorsAt(example, limit)
      expect(within.fields.filter(field => example.field.test(field))).toEqual([])
      const beyond = await errorsAt(example, limit + 1)
      expect(beyond.status).toBe(400)
      expect(beyond.fields.filter(field => example.field.test(field))).not.toEqual([])
    },
  )
})
