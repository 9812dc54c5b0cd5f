export interface Finding {
  /** Whether a client that works with the older document could stop working. */
  breaking: boolean
  where: string
  what: string
}
export function compareDocuments(before: object, after: object): Finding[]
