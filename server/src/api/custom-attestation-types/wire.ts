// Custom attestation types as the API sends and accepts them.
import { type Static, Type } from 'typebox'
import { CUSTOM_TYPE_NAME } from '../../domain/names.ts'
import { IncludeArchived, OnlyArchived } from '../shared/archived.ts'
import { Closed, EpochSeconds, FreeText, Nullable, OneOf, toEpoch } from '../shared/wire.ts'
import type { TypeRow } from './store.ts'

const MAX_NAME = 255
const MAX_PROGRAM = 16_384
const MAX_PROGRAMS = 100

export const TypesPath = Closed('CustomAttestationTypesPath', { org: Type.String() })
export const TypePath = Closed('CustomAttestationTypePath', { org: Type.String(), name: Type.String() })

const Program = Type.String({ minLength: 1, maxLength: MAX_PROGRAM, description: 'A jq program' })
const JsonSchema = Type.Unsafe<Record<string, unknown>>({ type: 'object', title: 'JsonSchema' })

const Evaluator = Closed('Evaluator', {
  content_type: OneOf(['jq', 'default'], {
    description: '`default`: data that matches the schema is compliant',
  }),
  rules: Type.Optional(Type.Array(Program, { maxItems: MAX_PROGRAMS })),
})

const SummaryEntry = Closed('SummaryEntry', {
  name: Type.String({ minLength: 1, maxLength: MAX_NAME }),
  expression: Program,
})

export const CustomAttestationTypePost = Closed('CustomAttestationTypePost', {
  name: Type.String({ pattern: CUSTOM_TYPE_NAME, maxLength: MAX_NAME }),
  description: Type.Optional(FreeText),
  evaluator: Type.Optional(Evaluator),
  summary: Type.Optional(Type.Array(SummaryEntry, { maxItems: MAX_PROGRAMS })),
  type_schema: Type.Optional(JsonSchema),
})
export type CustomAttestationTypePost = Static<typeof CustomAttestationTypePost>

export const TypeListQuery = Closed('CustomAttestationTypeListQuery', { archived: OnlyArchived })

export const TypeQuery = Closed('CustomAttestationTypeQuery', {
  archived: IncludeArchived,
  version: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Only this version' }),
  ),
})

const TypeVersion = Closed('CustomAttestationTypeVersion', {
  version: Type.Integer(),
  timestamp: EpochSeconds,
  type_schema: Nullable(JsonSchema),
  evaluator: Evaluator,
  summary: Nullable(Type.Array(SummaryEntry)),
  created_by: Type.String(),
})

export const CustomAttestationType = Closed('CustomAttestationType', {
  name: Type.String(),
  org: Type.String(),
  description: Type.Optional(Type.String()),
  archived: Type.Boolean(),
  created_by: Type.Optional(Type.String()),
  created_at: Type.Optional(EpochSeconds),
  last_modified_at: Type.Optional(EpochSeconds),
  versions: Type.Array(TypeVersion, { description: 'Newest first' }),
})
export type CustomAttestationType = Static<typeof CustomAttestationType>

export const CustomAttestationTypeList = Type.Array(CustomAttestationType, {
  title: 'CustomAttestationTypeList',
})

/** Takes the rows of one type, one per version, newest first. */
export function toWire(rows: readonly [TypeRow, ...TypeRow[]], org: string): CustomAttestationType {
  const [type] = rows
  return {
    ...toWireWithoutDates(rows, org),
    created_by: type.created_by,
    created_at: toEpoch(type.created_at),
    last_modified_at: toEpoch(type.last_modified_at),
  }
}

/** For a single version, which leaves out who created the type and when. */
export function toWireWithoutDates(
  rows: readonly [TypeRow, ...TypeRow[]],
  org: string,
): CustomAttestationType {
  const [{ name, description, archived_at }] = rows
  return {
    name,
    org,
    ...(description === null ? {} : { description }),
    archived: archived_at !== null,
    versions: rows.map(toWireVersion),
  }
}

function toWireVersion(row: TypeRow): Static<typeof TypeVersion> {
  return {
    version: row.version,
    timestamp: toEpoch(row.version_created_at),
    type_schema: row.type_schema,
    evaluator: row.rules ? { content_type: 'jq', rules: row.rules } : { content_type: 'default' },
    summary: row.summary,
    created_by: row.version_created_by,
  }
}
