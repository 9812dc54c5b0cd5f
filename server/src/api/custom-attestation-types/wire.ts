// Custom attestation types as the API sends and accepts them.
import { type Static, Type } from 'typebox'
import { CUSTOM_TYPE_NAME } from '../../domain/names.ts'
import { IncludeArchived, OnlyArchived } from '../shared/archived.ts'
import {
  Archived,
  CreatedAt,
  CreatedBy,
  LastModifiedAt,
  OrgName,
  Version,
  VersionCreatedAt,
} from '../shared/fields.ts'
import { about, Closed, Described, FreeText, Nullable, OneOf, toEpoch } from '../shared/wire.ts'
import type { TypeRow } from './store.ts'

const MAX_NAME = 255
const MAX_PROGRAM = 16_384
const MAX_PROGRAMS = 100

export const TypesPath = Closed('CustomAttestationTypesPath', { org: OrgName })
export const TypePath = Closed('CustomAttestationTypePath', {
  org: OrgName,
  name: Type.String(about('Name of the custom attestation type', 'coverage-metrics')),
})

const Program = Type.String({
  minLength: 1,
  maxLength: MAX_PROGRAM,
  ...about('A jq program', '.line_coverage'),
})
const JsonSchema = Type.Unsafe<Record<string, unknown>>({ type: 'object', title: 'JsonSchema' })

const Evaluator = Closed(
  'Evaluator',
  {
    content_type: OneOf(['jq', 'default'], {
      description: '`jq`: the rules decide; `default`: data that matches the schema is compliant',
    }),
    rules: Type.Optional(
      Type.Array(Program, {
        maxItems: MAX_PROGRAMS,
        ...about('jq programs that must all return true', ['.line_coverage >= 80']),
      }),
    ),
  },
  about('How compliance is evaluated'),
)

const SummaryEntry = Closed('SummaryEntry', {
  name: Type.String({ minLength: 1, maxLength: MAX_NAME, ...about('Label of the value', 'Lines') }),
  expression: Program,
})

export const CustomAttestationTypePost = Closed('CustomAttestationTypePost', {
  name: Type.String({
    pattern: CUSTOM_TYPE_NAME,
    maxLength: MAX_NAME,
    ...about('Name of the type; its attestations have the type `custom:<name>`', 'coverage-metrics'),
  }),
  description: Type.Optional(
    Described(FreeText, 'Purpose of the type, in free text', 'Coverage of the tests, in percent'),
  ),
  evaluator: Type.Optional(Evaluator),
  summary: Type.Optional(
    Type.Array(SummaryEntry, {
      maxItems: MAX_PROGRAMS,
      ...about('Values to show for attestations of this type'),
    }),
  ),
  type_schema: Type.Optional(Described(JsonSchema, 'JSON Schema that the data must match')),
})
export type CustomAttestationTypePost = Static<typeof CustomAttestationTypePost>

export const CustomAttestationTypeTry = Closed('CustomAttestationTypeTry', {
  evaluator: CustomAttestationTypePost.properties.evaluator,
  summary: CustomAttestationTypePost.properties.summary,
  type_schema: CustomAttestationTypePost.properties.type_schema,
  attestation_data: Type.Unknown({ description: 'An example of the data, as an attestation would have it' }),
})

const TriedRule = Closed('TriedRule', {
  rule: Type.String(about('The jq program', '.line_coverage >= 80')),
  satisfied: Type.Boolean(about('Whether it returns true', true)),
  reason: Type.Optional(Type.String(about('What it returns instead, or why it fails', 'yields false'))),
})

const TriedSummaryRow = Closed('TriedSummaryRow', {
  name: Type.String(about('Label of the value', 'Lines')),
  values: Type.Array(Type.Unknown(), about('The values of the expression; empty when it fails', [91])),
  problem: Type.Optional(Type.String(about('Why the expression fails', 'was not run'))),
})

export const CustomAttestationTypeTried = Closed('CustomAttestationTypeTried', {
  matches_schema: Type.Boolean(
    about('Whether the data matches the schema. Other data is refused, so nothing else is evaluated', true),
  ),
  schema_errors: Type.Record(
    Type.String(),
    Type.String(),
    about('What does not match the schema, by its path in the data; empty for the data as a whole', {}),
  ),
  is_compliant: Nullable(
    Type.Boolean(),
    about('The verdict; null if the data does not match the schema', true),
  ),
  found: Nullable(
    Type.String(),
    about('What the rules found; null if the data does not match the schema', 'true from 1 rule'),
  ),
  rules: Type.Array(TriedRule, about('The result of each rule')),
  summary: Type.Array(Type.Array(TriedSummaryRow), {
    description: 'The values that pages would show: one group, or one for each element of a list',
  }),
})
export type CustomAttestationTypeTried = Static<typeof CustomAttestationTypeTried>

export const TypeListQuery = Closed('CustomAttestationTypeListQuery', { archived: OnlyArchived })

export const TypeQuery = Closed('CustomAttestationTypeQuery', {
  archived: IncludeArchived,
  version: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      ...about('Only this version of the type', 3),
    }),
  ),
})

const TypeVersion = Closed('CustomAttestationTypeVersion', {
  version: Version,
  timestamp: VersionCreatedAt,
  type_schema: Nullable(
    JsonSchema,
    about('JSON Schema that the data must match; null means any data', { type: 'object' }),
  ),
  evaluator: Evaluator,
  summary: Nullable(
    Type.Array(SummaryEntry),
    about('Values to show for attestations of this type; null if none', null),
  ),
  created_by: CreatedBy,
})

export const CustomAttestationType = Closed('CustomAttestationType', {
  name: Type.String(
    about('Name of the type; its attestations have the type `custom:<name>`', 'coverage-metrics'),
  ),
  org: OrgName,
  description: Type.Optional(Type.String(about('Purpose of the type', 'Coverage of the tests, in percent'))),
  archived: Archived,
  created_by: Type.Optional(CreatedBy),
  created_at: Type.Optional(CreatedAt),
  last_modified_at: Type.Optional(LastModifiedAt),
  versions: Type.Array(TypeVersion, { description: 'All versions, newest first' }),
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
