// Who may keep more in the memory of a process: responses that a client has not read yet, and bodies that it has not
// finished sending. Bounded for each client and for the process.

export interface RoomLimits {
  per_client_bytes: number
  in_all_bytes: number
}

/** What is in memory already. */
export interface Held {
  of_client: number
  in_all: number
}

/** Whose bound is reached. */
export type Lack = 'client' | 'process'

/** Always admitted: a response of this size costs less than the work of refusing it, and must not wait for others. */
export const SMALL_BYTES = 64 * 1024
/** Clients that hold something already leave the other half of the process to those that hold nothing. */
const GREEDY_SHARE = 2

/**
 * The bound that forbids more bytes now; undefined if there is room. Whatever its size, the first response of a client
 * fits, so that no list is too long to be read.
 */
export function findLack(
  bytes: number,
  { of_client, in_all }: Held,
  { per_client_bytes, in_all_bytes }: RoomLimits,
): Lack | undefined {
  if (bytes <= SMALL_BYTES) return undefined
  if (of_client > 0 && of_client + bytes > per_client_bytes) return 'client'
  if (in_all === of_client) return undefined
  const bound = of_client > 0 ? in_all_bytes / GREEDY_SHARE : in_all_bytes
  return in_all + Math.min(bytes, per_client_bytes) > bound ? 'process' : undefined
}

/**
 * The size to expect of a response, after earlier ones of its kind to this client, or else to anybody. While a client
 * asks for the first of a kind, its others wait to learn how large that is.
 */
export function expectBytes(
  known: { to_client: number | undefined; to_anybody: number | undefined },
  is_first: boolean,
): number {
  if (known.to_client !== undefined) return known.to_client
  return is_first ? Math.max(SMALL_BYTES, known.to_anybody ?? 0) : Number.POSITIVE_INFINITY
}

/** Forgets a large response slowly, so that a few small ones do not hide it. */
export function learnBytes(known: number | undefined, bytes: number): number {
  return Math.max(bytes, Math.floor((known ?? 0) / 2))
}

/** Those who hold least come first, then those who have waited longest. */
export function sortWaiting<T extends { of_client: number }>(waiting: readonly T[]): T[] {
  return waiting.toSorted((one, other) => one.of_client - other.of_client)
}
