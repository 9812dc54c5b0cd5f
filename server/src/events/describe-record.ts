// The sentence of an event, written again from its record as the API sends it.
import { joinSentence } from '../domain/event-sentence.ts'
import { describeEvent } from './sentences.ts'

type Values = Readonly<Record<string, unknown>>

export function describeRecord(record: Values): Values {
  const parts = describeEvent({
    kind: String(record.kind),
    actor: String(record.actor),
    data: typeof record.data === 'object' && record.data !== null ? (record.data as Values) : {},
    flow_name: toName(record.flow_name),
    trail_name: toName(record.trail_name),
    environment_name: toName(record.environment_name),
    policy_name: toName(record.policy_name),
    control: toName(record.control),
  })
  return { sentence: joinSentence(parts), parts }
}

const toName = (name: unknown): string | null => (typeof name === 'string' ? name : null)
