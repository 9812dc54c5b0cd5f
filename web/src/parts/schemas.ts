// Short names for the types that the API returns, and the page size of lists.
import type { components } from '@waybill/client'

export type Schemas = components['schemas']

export const PER_PAGE = 25
