// Event ids: the number of the log and the number of the event in it, such as `1.940`.

/** Whether an event comes after the last known one. */
export function isNewer(id: string, known: string | undefined): boolean {
  if (known === undefined) return true
  const [log = 0, number = 0] = id.split('.').map(Number)
  const [known_log = 0, known_number = 0] = known.split('.').map(Number)
  return log > known_log || (log === known_log && number > known_number)
}
