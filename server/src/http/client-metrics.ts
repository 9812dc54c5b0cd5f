// Metrics of this process about its clients: open streams of changes, unread responses, slow clients.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Streams } from '../live/streams.ts'
import type { SlowClients } from './pace.ts'
import type { Room } from './room.ts'

export function countStreams({ counters }: Pick<Streams, 'counters'>, registers: Registry[]): void {
  new Gauge({
    name: 'waybill_streams_open',
    help: 'Open streams of changes',
    registers,
    collect() {
      this.set(counters.open)
    },
  })
  new Counter({
    name: 'waybill_stream_events_sent_total',
    help: 'Events sent to streams of changes',
    registers,
    collect() {
      this.reset()
      this.inc(counters.sent)
    },
  })
  new Counter({
    name: 'waybill_streams_ended_total',
    help: 'Streams of changes that ended, by reason',
    labelNames: ['reason'] as const,
    registers,
    collect() {
      this.reset()
      for (const [reason, count] of Object.entries(counters.ended)) this.inc({ reason }, count)
    },
  })
}

export function measureSlowClients(
  { room: { counters }, ended_clients }: { room: Pick<Room, 'counters'>; ended_clients: SlowClients },
  registers: Registry[],
): void {
  const showGauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  const showCounts = (name: string, help: string, label: string, counts: Readonly<Record<string, number>>) =>
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset()
        for (const [key, count] of Object.entries(counts)) this.inc({ [label]: key }, count)
      },
    })
  showGauge(
    'waybill_unread_bytes',
    'Bytes in memory of responses that clients have not read, and of bodies that they have not finished sending',
    () => counters.bytes,
  )
  showGauge(
    'waybill_unread_waiting',
    'Requests that wait for room for their responses',
    () => counters.waiting,
  )
  showCounts(
    'waybill_unread_refused_total',
    'Requests refused because a client, or all together, left too much unread, by bound',
    'bound',
    counters.refused,
  )
  showCounts(
    'waybill_slow_clients_ended_total',
    'Clients that were disconnected because they read or sent below the minimum rate',
    'side',
    ended_clients,
  )
}
