// What the addresses of controls carry after the question mark. What makes no sense is left out.

export type SortDirection = 'asc' | 'desc'

export interface ControlsSearch {
  search?: string
  tag?: string[]
  archived?: true
  sort_direction?: SortDirection
  page?: number
}

export const CONTROL_TABS = ['decisions', 'coverage', 'versions'] as const
export type ControlTab = (typeof CONTROL_TABS)[number]

/** Every tab has its own filters; going to another tab drops them. */
export interface ControlSearch {
  tab?: ControlTab
  page?: number
  /** Decisions. */
  is_compliant?: boolean
  flow_name?: string
  from?: string
  to?: string
  sort_direction?: SortDirection
  cursor?: string
  /** Coverage. */
  search?: string
  covered?: boolean
}

type Given = Record<string, unknown>

export function controlsSearch(given: Given): ControlsSearch {
  return defined({
    search: textIn(given.search),
    tag: tagsIn(given.tag),
    archived: given.archived === true ? true : undefined,
    sort_direction: directionIn(given.sort_direction),
    ...pageOf(given),
  })
}

export function controlSearch(given: Given): ControlSearch {
  return defined({
    tab: CONTROL_TABS.find(tab => tab === given.tab),
    ...pageOf(given),
    is_compliant: flagIn(given.is_compliant),
    flow_name: textIn(given.flow_name),
    from: dayIn(given.from),
    to: dayIn(given.to),
    sort_direction: directionIn(given.sort_direction),
    cursor: textIn(given.cursor),
    search: textIn(given.search),
    covered: flagIn(given.covered),
  })
}

export function pageOf({ page }: Given): { page?: number } {
  return typeof page === 'number' && Number.isInteger(page) && page > 1 ? { page } : {}
}

/** A text of digits comes out of the address as a number. */
const textIn = (given: unknown) =>
  (typeof given === 'string' && given !== '') || typeof given === 'number' ? String(given) : undefined

const flagIn = (given: unknown) => (typeof given === 'boolean' ? given : undefined)

const directionIn = (given: unknown) => (given === 'asc' || given === 'desc' ? given : undefined)

const dayIn = (given: unknown) =>
  typeof given === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given))
    ? given
    : undefined

function tagsIn(given: unknown): string[] | undefined {
  const tags = (Array.isArray(given) ? given : [given]).map(textIn).filter(tag => tag !== undefined)
  return tags.length > 0 ? tags : undefined
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Without the keys that have no value: the address does not show them, and the types do not allow them. */
export function defined<T extends object>(given: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<
    Defined<T>
  >
}
