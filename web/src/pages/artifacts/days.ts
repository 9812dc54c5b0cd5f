// Days of the reader's zone, as a date field has them, and the moments they begin and end.

export function dayOf(epoch_seconds: number | undefined): string {
  if (epoch_seconds === undefined) return ''
  const date = new Date(epoch_seconds * 1000)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

export const dayStart = (day: string) => epochOf(`${day}T00:00:00`)
export const dayEnd = (day: string) => epochOf(`${day}T23:59:59`)

function epochOf(local: string): number | undefined {
  const at_ms = new Date(local).getTime()
  return Number.isNaN(at_ms) ? undefined : Math.floor(at_ms / 1000)
}
