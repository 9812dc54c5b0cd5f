// The types of the API's answers, from the OpenAPI document. Types only: nothing of it is in the built program.
import type { components } from '../../client/schema.ts'

export type Schemas = components['schemas']
