// Schemas that the fields of several attestation types use.
import { Type } from 'typebox'

export const MAX_NAME = 255
export const MAX_ITEMS = 10_000

export const Count = Type.Integer({ minimum: 0 })

/** The `type_name` of a system type. */
export const TypeName = <const T extends string>(type: T) => Type.Unsafe<T>({ type: 'string', const: type })
