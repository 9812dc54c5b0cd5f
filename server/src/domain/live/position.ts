// A reader's position in an organization's log, as the id of a server-sent event: the number of the log and the
// number of leaves that the reader knows, such as `1.940`.

export interface Position {
  epoch: number
  /** How many leaves the reader knows, which is also the number of the next leaf. */
  next: number
}

/** The current end of the log. */
export interface Head {
  epoch: number
  size: number
}

const POSITION = /^(\d{1,9})\.(-1|\d{1,15})$/

export function formatPosition({ epoch, next }: Position): string {
  return `${epoch}.${next - 1}`
}

/** Undefined for anything that `formatPosition` does not write. */
export function parsePosition(text: string): Position | undefined {
  const [, epoch, last] = POSITION.exec(text) ?? []
  return epoch === undefined || last === undefined
    ? undefined
    : { epoch: Number(epoch), next: Number(last) + 1 }
}

/**
 * Where a reader continues: `undefined` if it cannot, because its position belongs to another log, lies ahead of the
 * log, or is more than `most` leaves behind. Such a reader starts at the head and reads everything else anew.
 */
export function findResumption(text: string | undefined, head: Head, most: number): Position | undefined {
  const position = text === undefined ? undefined : parsePosition(text)
  if (!position || position.epoch !== head.epoch) return undefined
  const behind = head.size - position.next
  return behind >= 0 && behind <= most ? position : undefined
}
