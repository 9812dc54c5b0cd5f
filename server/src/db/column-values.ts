// Converts column values to JavaScript values, on every connection.
import pg from 'pg'

const INT8_OID = 20

const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser

/** Every count stays far below 2^53. */
export const TYPES = { getTypeParser }
