// Values that the examples of many fields use, so that the examples of the OpenAPI document belong together.
export { EXAMPLE_COMMIT } from '../../domain/schema.ts'

export const EXAMPLE_ID = '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'
export const EXAMPLE_FINGERPRINT = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'
/** Seconds since 1970. */
export const EXAMPLE_TIME = 1_772_539_200
