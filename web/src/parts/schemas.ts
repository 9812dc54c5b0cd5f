// Short names for what the server answers, and how much of a list it is asked for at once.
import type { components } from '@waybill/client'

export type Schemas = components['schemas']

export const PER_PAGE = 25
