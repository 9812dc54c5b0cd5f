// Compares signatures with those from botocore 1.44.3 for the same requests.
import { expect, it } from 'vitest'
import { encodeStrictly, signRequest } from './sign.ts'

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
const signer = {
  credentials: { key_id: 'AKIAEXAMPLE', secret: 'secret' },
  region: 'eu-west-1',
  now_ms: NOW_MS,
}

it('is right for a key with special characters, a query and a session', () => {
  const path = 'odd names/ü+&%41.txt'.split('/').map(encodeStrictly).join('/')
  const url = new URL(`https://site.s3.eu-west-1.amazonaws.com/${path}?list-type=2&encoding-type=url`)
  const credentials = { ...signer.credentials, session_token: 'token' }
  const request = { method: 'GET', url, headers: {}, body: '' }
  expect(signRequest(request, { ...signer, credentials, service: 's3' }).authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20260102/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=b6a362ae552044d1a427119e0e5f398a6b9672c29307730e3aeaa485fc21a004',
  )
})

it('is right for a body and further headers', () => {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'A.ListClusters' }
  const url = new URL('https://ecs.eu-west-1.amazonaws.com/')
  const request = { method: 'POST', url, headers, body: '{"maxResults":100}' }
  expect(signRequest(request, { ...signer, service: 'ecs' }).authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20260102/eu-west-1/ecs/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-target, Signature=24e467c24873dcdfccbbf745515a7a6ee09f8aff65cc33c3b0d66280faa80850',
  )
})
