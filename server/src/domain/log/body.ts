// The body of a leaf: the whole event as text. It is not stored a second time: the writer prints it from the event,
// and a reader rebuilds it from the stored row, whose JSON PostgreSQL prints in the same way.
import { printJson } from './print-json.ts'

/** The ids of an event's subjects, by kind. */
export interface SubjectIds {
  flow_id?: string | null | undefined
  trail_id?: string | null | undefined
  environment_id?: string | null | undefined
  policy_id?: string | null | undefined
  control_id?: string | null | undefined
}

export interface LoggedEvent extends SubjectIds {
  kind: string
  happened_at: Date
  actor: string
  request_id: string
  /** JSON values as PostgreSQL prints them; null if the event has none. */
  caller: string | null
  data: string
  parts: string | null
}

export function formatBody(event: LoggedEvent): string {
  const { kind, actor, happened_at, request_id, caller, data, parts } = event
  const lines = [
    `"kind": ${printJson(kind)}`,
    `"happened_at": "${happened_at.toISOString()}"`,
    `"actor": ${printJson(actor)}`,
    ...(caller === null ? [] : [`"caller": ${caller}`]),
    `"request_id": ${printJson(request_id)}`,
    `"ids": ${printJson(pickIds(event))}`,
    `"data": ${data}`,
    ...(parts === null ? [] : [`"parts": ${parts}`]),
  ]
  return `{${lines.join(', ')}}`
}

function pickIds({ flow_id, trail_id, environment_id, policy_id, control_id }: SubjectIds) {
  return {
    flow: flow_id ? toKnownId(flow_id) : undefined,
    trail: trail_id ? toKnownId(trail_id) : undefined,
    environment: environment_id ? toKnownId(environment_id) : undefined,
    policy: policy_id ? toKnownId(policy_id) : undefined,
    control: control_id ? toKnownId(control_id) : undefined,
  }
}

const KNOWN_LENGTH = 32

/** The id as callers know it: without the zeros that end every stored id. */
export function toKnownId(id: string): string {
  return id.slice(0, KNOWN_LENGTH)
}

/** The data as it appears in the body: hidden fields are replaced by their hashes. */
export function hideFields(
  data: Readonly<Record<string, unknown>>,
  hidden: readonly string[],
  commit: (name: string, content: string) => string,
): Record<string, unknown> {
  const entries = Object.entries(data).map(([name, value]) => {
    const isHidden = hidden.includes(name) && value !== null && value !== undefined
    return [name, isHidden ? { commitment: commit(name, printJson(value)) } : value]
  })
  return Object.fromEntries(entries)
}
