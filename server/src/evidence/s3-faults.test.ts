import { EgressError, type EgressReason } from '@waybill/egress'
import { describe, expect, it } from 'vitest'
import { NotKept, toS3Fault } from './s3-faults.ts'
import { makeS3Fetch } from './s3-fetch.ts'

type Fault = [status: number, retry_after: string, sentence: string]

/** What the operator must mend is repeated less often than what passes. */
const MEND = '30'
const WAIT = '5'

const REFUSALS: [status: number, code: string | undefined, fault: Fault][] = [
  [403, 'AccessDenied', [503, MEND, 'refuses access: the access key lacks a permission (403 AccessDenied)']],
  [403, 'InvalidAccessKeyId', [503, MEND, 'does not know the access key (403 InvalidAccessKeyId)']],
  [403, 'SignatureDoesNotMatch', [503, MEND, 'does not accept the secret key (403 SignatureDoesNotMatch)']],
  [403, undefined, [503, MEND, 'refuses access (403)']],
  [
    400,
    'ExpiredToken',
    [503, MEND, 'no longer accepts the credentials, which have expired (400 ExpiredToken)'],
  ],
  [404, 'NoSuchBucket', [503, MEND, 'does not have the bucket of WAYBILL_EVIDENCE_URL (404 NoSuchBucket)']],
  [400, 'EntityTooLarge', [503, MEND, 'refuses the request (400 EntityTooLarge)']],
  [500, 'InternalError', [503, WAIT, 'fails (500 InternalError)']],
  [502, undefined, [503, WAIT, 'fails (502)']],
  [503, 'SlowDown', [503, WAIT, 'asks for fewer requests (503 SlowDown)']],
  [503, undefined, [503, WAIT, 'asks for fewer requests (503)']],
  [507, 'XMinioStorageFull', [507, MEND, 'is full']],
  [403, 'QuotaExceeded', [507, MEND, 'is full']],
]

const NETWORK: [reason: EgressReason, code: string | undefined, fault: Fault][] = [
  ['not_connected', 'ECONNREFUSED', [503, WAIT, 'cannot be reached (ECONNREFUSED)']],
  ['unknown_name', undefined, [503, MEND, 'has a host name that cannot be resolved']],
  [
    'not_trusted',
    'CERT_HAS_EXPIRED',
    [503, MEND, 'has a certificate that is not trusted (CERT_HAS_EXPIRED)'],
  ],
  ['slow_answer', undefined, [503, WAIT, 'is not responding']],
  ['broken', 'ECONNRESET', [503, WAIT, 'broke off the connection (ECONNRESET)']],
  ['redirected', undefined, [503, MEND, 'is in another region than WAYBILL_EVIDENCE_URL says']],
]

function expectFault(error: unknown, [status, retry_after, sentence]: Fault): void {
  const fault = toS3Fault(error)
  const reason = `the evidence store ${sentence}`
  expect([fault.status, fault.headers['retry-after'], fault.reason]).toEqual([status, retry_after, reason])
  expect(fault.message).toMatch(/^The evidence store .*; try again/)
  expect(fault.cause).toBe(error)
}

const fetchFrom = (answer: Response) => makeS3Fetch(async () => answer)
const BUCKET = 'https://s3.example.com/secret-bucket/key'

async function refuse(status: number, code: string | undefined, method: string): Promise<unknown> {
  const body =
    code && `<Error><Code>${code}</Code><Message>no access to secret-bucket for AKIA</Message></Error>`
  const answer = new Response(body ?? null, { status, headers: { 'content-type': 'text/xml' } })
  return fetchFrom(answer)(BUCKET, { method }).catch((error: unknown) => error)
}

describe('a fault of a bucket', () => {
  it.each(REFUSALS)('%i %s has its own sentence', async (status, code, fault) => {
    expectFault(await refuse(status, code, 'PUT'), fault)
  })

  it.each(NETWORK)('%s %s has its own sentence', (reason, code, fault) => {
    expectFault(new EgressError(reason, code && Object.assign(new Error(), { code })), fault)
  })

  it('is found behind the errors of the library', () => {
    const cause = new EgressError('slow_connect')
    expectFault(new Error('Error getting content length', { cause }), [503, WAIT, 'is not responding'])
    expectFault(new DOMException('late', 'TimeoutError'), [503, WAIT, 'is not responding'])
    expectFault(new NotKept('key'), [503, MEND, 'confirmed an upload, and has not kept what was sent'])
    expectFault(new SyntaxError('XML'), [503, WAIT, 'gave a response that Waybill does not understand'])
  })

  it('tells callers no bucket, key or host, and the log the words of the service', async () => {
    const error = await refuse(403, 'AccessDenied', 'GET')
    const { message, reason } = toS3Fault(error)
    expect(message + reason).not.toMatch(/secret|AKIA|example/)
    expect(String(error)).toContain('GET: 403 AccessDenied: no access to secret-bucket for AKIA')
  })
})

describe('a missing object', () => {
  it.each(['GET', 'HEAD', 'DELETE'])('is no fault for %s, and a missing bucket is one', async method => {
    expect(await refuse(404, 'NoSuchKey', method)).toMatchObject({ status: 404, body: null })
    expect(await refuse(404, 'NoSuchBucket', method)).toBeInstanceOf(Error)
  })

  it('is a fault for an upload: the bucket is missing', async () => {
    expectFault(await refuse(404, undefined, 'PUT'), [
      503,
      MEND,
      'does not have the bucket of WAYBILL_EVIDENCE_URL (404)',
    ])
  })
})
