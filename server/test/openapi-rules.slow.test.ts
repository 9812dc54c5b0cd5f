// The OpenAPI document follows the public rules: it is valid, and a known linter has no complaint.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { operations } from '../src/api/operations.ts'
import { buildOpenapi } from '../src/http/openapi.ts'

type Json = Record<string, unknown>

const document = buildOpenapi(operations, { version: '0.0.0', server_urls: ['/api/v2'] })

/** Lint rules that make no sense here, and why. */
const RULES_OFF = {
  // The contact is the service's operator, who is unknown here.
  'info-contact': 'off',
  // A literal segment wins over a parameter, in the router as in the OpenAPI specification.
  'no-ambiguous-paths': 'off',
  // What only existing clients request is declared as not implemented.
  'operation-2xx-response': 'off',
} as const

describe('the public rules', () => {
  it('say that it is valid', async () => {
    const result = await new Validator().validate(structuredClone(document))
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
  })

  it('find nothing to complain about', async () => {
    expect(await lint(document)).toEqual([])
  })

  it('report a badly described operation', async () => {
    const small = buildOpenapi(operations.slice(0, 1), { version: '0.0.0', server_urls: ['/api/v2'] })
    const paths = { ...(small.paths as Json), '/meta': { get: { operationId: 'getMeta', responses: {} } } }
    const about = async (document: Json) =>
      (await lint(document)).filter(error => !error.startsWith('no-unused-components'))
    expect(await about(small)).toEqual([])
    expect((await about({ ...small, paths })).length).toBeGreaterThan(0)
    expect((await new Validator().validate({ ...structuredClone(small), info: {} })).valid).toBe(false)
  })
})

async function lint(document: Json): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules: RULES_OFF })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer ?? ''}`,
  )
}
