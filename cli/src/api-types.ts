// Types of the API responses, from the OpenAPI document. The built program contains nothing of this file.
import type { components } from '../../client/schema.ts'

export type Schemas = components['schemas']
