// Between seconds since 1970 and what a `datetime-local` field holds, in the zone of whoever types.

const MINUTE_MS = 60_000

export function toField(at: number | undefined): string {
  if (at === undefined) return ''
  const date = new Date(at * 1000)
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}

export function fromField(text: string): number | undefined {
  const at_ms = new Date(text).getTime()
  return Number.isNaN(at_ms) ? undefined : Math.floor(at_ms / 1000)
}
