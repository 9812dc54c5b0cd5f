export interface Finding {
  /** True if a client of the older document could stop working. */
  breaking: boolean
  where: string
  what: string
}
export function compareDocuments(before: object, after: object): Finding[]
