// Limits, tested from outside: the limit itself is accepted, and one more gets 400 on that field. Limits on bytes,
// depth and time are tested next to the code that enforces them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './harness.ts'
import { examples } from './limit-examples.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
  await app.member.put('/environments/acme', { name: 'prod', type: 'K8S' })
  await app.member.post('/service-accounts/acme', { name: 'robot' })
})
afterAll(() => app.stop())

const sendWithSize = async (example: (typeof examples)[number], size: number) => {
  const { method, path, body } = example.request(size)
  const { status, body: answer } = await app.admin.call(method, path, body)
  return { status, fields: Object.keys(answer?.errors ?? {}) }
}

describe('at most', () => {
  it.each(examples.map(example => [example.what, example.limit, example] as const))(
    '%s: %i',
    async (_what, limit, example) => {
      const within = await sendWithSize(example, limit)
      expect(within.fields.filter(field => example.field.test(field))).toEqual([])
      const beyond = await sendWithSize(example, limit + 1)
      expect(beyond.status).toBe(400)
      expect(beyond.fields.filter(field => example.field.test(field))).not.toEqual([])
    },
  )
})
