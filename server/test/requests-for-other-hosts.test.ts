// Requests that name two hosts: a proxy in front may have checked one of them, and we must not respond for the other.
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './harness.ts'

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startTestApp()
  await app.server.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})
afterAll(() => app.stop())

/** Sends these bytes as they are, and returns the status and the body. */
function send(target: string, headers: string[]): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', chunk => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('end', () => {
      resolve({ status: Number(text.split(' ')[1]), body: text.slice(text.indexOf('\r\n\r\n') + 4) })
    })
    socket.end(`GET ${target} HTTP/1.1\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  })
}

const META = '/api/v2/meta'

describe('400', () => {
  it.each([
    ['two hosts', META, ['Host: waybill.test', 'Host: evil.example']],
    ['the same host twice', META, ['Host: waybill.test', 'host: waybill.test']],
    ['two hosts on a page', '/', ['Host: waybill.test', 'Host: evil.example']],
    ['two hosts where nothing is', '/nothing/here', ['Host: waybill.test', 'Host: evil.example']],
    ['two hosts in one header', META, ['Host: waybill.test, evil.example']],
    ['no host', META, []],
    ['another host in the target', `http://evil.example${META}`, ['Host: waybill.test']],
    ['another port in the target', `http://waybill.test:81${META}`, ['Host: waybill.test']],
    ['a user in the target', `http://waybill.test@evil.example${META}`, ['Host: waybill.test']],
  ])('%s', async (_, target, headers) => {
    const { status, body } = await send(target, headers)
    expect([status, body.includes('"version"')]).toEqual([400, false])
  })
})

describe('200', () => {
  it.each([
    ['one host', META, ['Host: waybill.test']],
    ['one host with a port', META, ['Host: waybill.test:8443']],
    ['an address as the host', META, ['Host: [::1]:8001']],
  ])('%s', async (_, target, headers) => {
    expect((await send(target, headers)).status).toBe(200)
  })
})
