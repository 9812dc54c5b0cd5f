// The settings of slow clients: how much of the memory they may occupy, and how slow they may be.
import { readNumberBetween } from './readers.ts'
import { defineSetting, type Environment, makeReader, type Settings } from './setting.ts'

const MIN_BYTES = 1024 * 1024
const MAX_RATE = 1_000_000_000

export const SLOW_CLIENT_SETTINGS = {
  WAYBILL_UNREAD_BYTES_PER_KEY: defineSetting({
    meaning:
      'bytes of responses that a key, session or client address may leave unread in each process, from 1048576 ([slow clients](limits.md#slow-clients))',
    default: '67108864',
    example: '33554432',
    parse: readNumberBetween(MIN_BYTES, Number.MAX_SAFE_INTEGER),
  }),
  WAYBILL_UNREAD_BYTES: defineSetting({
    meaning: 'the same for all of them together; a quarter of the memory of the process is a good value',
    default: '268435456',
    example: '134217728',
    parse: readNumberBetween(MIN_BYTES, Number.MAX_SAFE_INTEGER),
  }),
  WAYBILL_MIN_BYTES_PER_SECOND: defineSetting({
    meaning:
      'rate at which a client must send a body and read a response, on average over 25 seconds in which the service waits for it; 0 disconnects only silent clients',
    default: '16384',
    example: '4096',
    parse: readNumberBetween(0, MAX_RATE),
  }),
} satisfies Settings

export interface SlowClientConfig {
  unread: { per_client_bytes: number; in_all_bytes: number }
  min_bytes_per_s: number
}

export function readSlowClientConfig(environment: Environment): SlowClientConfig {
  const read = makeReader(SLOW_CLIENT_SETTINGS, environment)
  return {
    unread: {
      per_client_bytes: read('WAYBILL_UNREAD_BYTES_PER_KEY'),
      in_all_bytes: read('WAYBILL_UNREAD_BYTES'),
    },
    min_bytes_per_s: read('WAYBILL_MIN_BYTES_PER_SECOND'),
  }
}
