// A connection must reach the intended peer. The system itself rewrites the address 0.0.0.0: a connection to
// it reaches this machine.

import { PATIENCE_MS } from '@waybill/testing/patience'
import { type Receiver, startReceiver } from '@waybill/testing/receivers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openConnection } from './connect.ts'

let inner: Receiver
beforeAll(async () => {
  inner = await startReceiver()
})
afterAll(() => inner.stop())

/** Uses a clock that stands still, so that no timeout expires. */
const makeOptions = () => ({
  limit_ms: PATIENCE_MS,
  monotonic_ms: () => 0,
  signal: new AbortController().signal,
})
const connect = (...addresses: string[]) =>
  openConnection({ host: 'hooks.example', port: inner.port, addresses, secure: undefined }, makeOptions())

describe('a connection', () => {
  it('is returned if the peer has the checked address', async () => {
    const socket = await connect('127.0.0.1')
    expect(socket.remoteAddress).toBe('127.0.0.1')
    socket.destroy()
  })

  it('is rejected if the peer has another address, and nothing is sent to it', async () => {
    await expect(connect('0.0.0.0')).rejects.toMatchObject({ reason: 'inner_address' })
    expect(inner.received).toBe('')
    await expect.poll(() => inner.open()).toBe(0)
  })
})
