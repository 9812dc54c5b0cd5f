// The service with its own TLS, tested with real clients that check its certificate.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type PeerCertificate } from 'node:tls'
import { makeTestCa, type TestCa } from '@waybill/testing/tls'
import { Agent, fetch } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { makeLog } from '../lib/log.ts'
import { makeTlsReload, readTlsPair } from './tls.ts'

const folder = mkdtempSync(join(tmpdir(), 'waybill-tls-'))
const files = { cert_file: join(folder, 'tls.crt'), key_file: join(folder, 'tls.key') }

let ca: TestCa
let app: TestApp
let port: number

beforeAll(async () => {
  ca = await makeTestCa()
  await renew()
  app = await startTestApp({
    settings: { WAYBILL_TLS_CERT_FILE: files.cert_file, WAYBILL_TLS_KEY_FILE: files.key_file },
  })
  await app.server.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.server.address() as AddressInfo).port
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

async function renew(): Promise<void> {
  const { cert, key } = await ca.serverFor(['127.0.0.1', 'localhost'])
  writeFileSync(files.cert_file, cert)
  writeFileSync(files.key_file, key)
}

/** The certificate that a new connection gets. */
function readServed(options: { maxVersion?: 'TLSv1.1' } = {}): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ca: ca.ca_pem, ...options }, () => {
      resolve(socket.getPeerCertificate())
      socket.end()
    })
    socket.on('error', reject)
  })
}

const makeReload = async () => {
  const { server } = app.server
  if (!(server instanceof Server)) throw new Error('the server speaks no TLS')
  return makeTlsReload(server, files, await readTlsPair(files), makeLog('silent'))
}

describe('a service with a certificate', () => {
  it('serves the API over TLS, and nothing without it', async () => {
    const dispatcher = new Agent({ connect: { ca: ca.ca_pem } })
    const answer = await fetch(`https://localhost:${port}/api/v2/meta`, { dispatcher })
    expect([answer.status, await answer.json()]).toMatchObject([200, { api_version: '2.0' }])
    await dispatcher.close()
    await expect(fetch(`http://127.0.0.1:${port}/api/v2/meta`)).rejects.toThrow()
  })

  it('refuses versions before TLS 1.2', async () => {
    await expect(readServed({ maxVersion: 'TLSv1.1' })).rejects.toThrow()
  })
})

describe('a renewed certificate', () => {
  it('is used by new connections, and only then is it news', async () => {
    const reload = await makeReload()
    const before = await readServed()
    expect(await reload()).toBe(false)
    await renew()
    expect(await reload()).toBe(true)
    expect(await reload()).toBe(false)
    expect((await readServed()).fingerprint256).not.toBe(before.fingerprint256)
  })

  it.each([
    [
      'a key of another certificate',
      () => ca.serverFor(['x']).then(({ key }) => writeFileSync(files.key_file, key)),
    ],
    ['half a file', () => writeFileSync(files.cert_file, '-----BEGIN CERTIFICATE-----\nMII')],
    ['no file', () => rmSync(files.cert_file)],
  ])('that cannot be used leaves the old one: %s', async (_, breakFiles) => {
    await renew()
    const reload = await makeReload()
    const before = await readServed()
    await breakFiles()
    expect(await reload()).toBe(false)
    expect((await readServed()).fingerprint256).toBe(before.fingerprint256)
    await renew()
    expect(await reload()).toBe(true)
  })
})

describe('the first certificate', () => {
  it('must be usable: the start fails and names the settings', async () => {
    const { cert } = await ca.serverFor(['x'])
    writeFileSync(files.cert_file, cert)
    await expect(readTlsPair(files)).rejects.toThrow(
      'WAYBILL_TLS_CERT_FILE and WAYBILL_TLS_KEY_FILE are not a certificate and its key',
    )
    rmSync(files.key_file)
    await expect(readTlsPair(files)).rejects.toThrow('WAYBILL_TLS_KEY_FILE: the file cannot be read (ENOENT')
  })
})
