// That a connection ends where it was meant to end. The address for "any" is one that the system itself turns into
// another: whoever connects to it arrives at this machine.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PATIENCE_MS } from '../../test/patience.ts'
import { type Receiver, startReceiver } from '../../test/receivers.ts'
import { openConnection } from './connect.ts'

let inner: Receiver
beforeAll(async () => {
  inner = await startReceiver()
})
afterAll(() => inner.stop())

/** By a clock that stands still, so that no limit is reached. */
const makeOptions = () => ({
  limit_ms: PATIENCE_MS,
  monotonic_ms: () => 0,
  signal: new AbortController().signal,
})
const connect = (...addresses: string[]) =>
  openConnection({ host: 'hooks.example', port: inner.port, addresses, secure: undefined }, makeOptions())

describe('a connection', () => {
  it('is handed out when the peer is the address that was judged', async () => {
    const socket = await connect('127.0.0.1')
    expect(socket.remoteAddress).toBe('127.0.0.1')
    socket.destroy()
  })

  it('is refused when the peer is another one, and nothing is said to it', async () => {
    await expect(connect('0.0.0.0')).rejects.toMatchObject({ reason: 'inner_address' })
    expect(inner.received).toBe('')
    await expect.poll(() => inner.open()).toBe(0)
  })
})
