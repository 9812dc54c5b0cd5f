// Which hosts count as the operator's own for outbound connections: exactly those that the settings name.

import { type Receiver, startReceiver } from '@waybill/testing/receivers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../src/lib/clock.ts'
import { buildEgress } from '../src/outbound.ts'
import { readConfig } from '../src/settings/config.ts'
import { PATIENT_EGRESS } from './egress.ts'
import { LOG_POLICY } from './every-setting.ts'

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver({
    onConnection: socket => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    },
  })
})
afterAll(() => receiver.stop())

const makeEgress = (settings: Record<string, string>) =>
  buildEgress(readConfig({ WAYBILL_CI_ISSUERS: 'off', ...settings }), {
    version: '0',
    clock: systemClock,
    log: undefined,
    limits: PATIENT_EGRESS,
  })

describe('the host of', () => {
  const here = 'http://127.0.0.1:1'
  const provider = { id: 'a', name: 'A', issuer: here, client_id: 'c' }

  it.each([
    ['an identity provider', { WAYBILL_OIDC_ISSUER: here, WAYBILL_OIDC_CLIENT_ID: 'c' }],
    ['another identity provider', { WAYBILL_OIDC_PROVIDERS: JSON.stringify([provider]) }],
    ['an issuer of CI tokens', { WAYBILL_CI_ISSUERS: here }],
    ['the bucket for evidence', { WAYBILL_EVIDENCE_URL: `s3://key:secret@bucket?endpoint=${here}` }],
    ['a witness', { WAYBILL_LOG_POLICY: LOG_POLICY.replace('https://witness.example', here) }],
    ['the mail server', { WAYBILL_SMTP_URL: 'smtp://user:pass@127.0.0.1', WAYBILL_MAIL_FROM: 'a@b.example' }],
  ])('%s is the operator’s own', async (_what, settings) => {
    const egress = makeEgress(settings)
    expect((await egress.fetch(`http://127.0.0.1:${receiver.port}`)).status).toBe(200)
    const socket = await egress.connect('127.0.0.1', receiver.port)
    socket.destroy()
  })

  it.each([
    ['nothing', {}],
    [
      'other machines',
      { WAYBILL_CI_ISSUERS: 'https://ci.example', WAYBILL_EVIDENCE_URL: 's3://k:s@127.0.0.1' },
    ],
    ['what webhooks may reach', { WAYBILL_EGRESS_ALLOW: '127.0.0.0/8' }],
  ])('%s is not', async (_what, settings) => {
    const before = receiver.connections
    const egress = makeEgress(settings)
    const refused = { reason: 'bad_address' }
    await expect(egress.fetch(`http://127.0.0.1:${receiver.port}`)).rejects.toMatchObject(refused)
    await expect(egress.connect('127.0.0.1', receiver.port)).rejects.toMatchObject(refused)
    expect(receiver.connections).toBe(before)
  })
})
