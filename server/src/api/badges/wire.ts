// API schemas of badges.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { EXAMPLE_ID } from '../shared/examples.ts'
import {
  CreatedAt,
  CreatedBy,
  EnvironmentName,
  Fingerprint,
  FingerprintInput,
  FlowName,
  OrgName,
  PageUrl,
} from '../shared/fields.ts'
import { about, Closed, Described, Naming, Nullable, OneOf, toEpoch } from '../shared/wire.ts'
import type { BadgeRow } from './store.ts'

const MAX_LABEL = 48
const MAX_NAME = 512
const EXAMPLE_TOKEN = 'wb_badge_0123456789ab_secret'

export const BadgePath = Closed('BadgePath', {
  org: OrgName,
  badge_id: Type.String(about('Id of the badge', EXAMPLE_ID)),
})

export const PicturePath = Closed('BadgePicturePath', {
  token: Type.String(about('The token of the badge', EXAMPLE_TOKEN)),
})

const LABEL = about(
  'What it says beside the state; null for the current name of the environment or flow',
  'production',
)

export const BadgePost = Closed('BadgePost', {
  environment_name: Type.Optional(
    Naming(
      'environment',
      Type.String({
        minLength: 1,
        maxLength: MAX_NAME,
        ...about('The environment whose state it shows', 'production'),
      }),
    ),
  ),
  flow_name: Type.Optional(
    Naming(
      'flow',
      Type.String({
        minLength: 1,
        maxLength: MAX_NAME,
        ...about('The flow whose newest trail it shows', 'backend-ci'),
      }),
    ),
  ),
  fingerprint: Type.Optional(
    Described(FingerprintInput, 'Only with an environment: it shows whether this artifact is allowed there'),
  ),
  label: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_LABEL,
      ...about(
        'What it says beside the state; omitted means the name of the environment or flow',
        'production',
      ),
    }),
  ),
})

const COMMON = {
  id: Type.String(about('Id of the badge; not secret', EXAMPLE_ID)),
  shows: OneOf(['environment', 'flow', 'artifact'], about('What its state is about', 'environment')),
  environment_name: Nullable(
    EnvironmentName,
    about('Name of the environment; null for a flow', 'production'),
  ),
  flow_name: Nullable(FlowName, about('Name of the flow; null for an environment', null)),
  fingerprint: Nullable(
    Fingerprint,
    about('Fingerprint of the artifact; null if it is about no artifact', null),
  ),
  label: Nullable(Type.String(), LABEL),
  created_by: CreatedBy,
  created_at: CreatedAt,
  hint: Type.String(about('The first characters of the token, to tell badges apart', 'wb_badge_0123')),
}

export const Badge = Closed('Badge', COMMON)
export type Badge = Static<typeof Badge>

export const BadgeList = Type.Array(Badge, { title: 'BadgeList' })

export const CreatedBadge = Closed('CreatedBadge', {
  ...COMMON,
  token: Type.String(about('The token, shown only in this response', EXAMPLE_TOKEN)),
  url: Type.String(
    about('URL of the picture', `https://waybill.example.com/api/v2/badges/${EXAMPLE_TOKEN}.svg`),
  ),
  html_url: PageUrl,
  markdown: Type.String(about('A line to paste into a README', '[![production](…)](…)')),
})

export function toWire(row: BadgeRow): Badge {
  return {
    id: toWireId(row.badge_id),
    shows: describeSubject(row),
    environment_name: row.environment_name,
    flow_name: row.flow_name,
    fingerprint: row.fingerprint,
    label: row.label,
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    hint: row.hint,
  }
}

function describeSubject({
  flow_name,
  fingerprint,
}: Pick<BadgeRow, 'flow_name' | 'fingerprint'>): Badge['shows'] {
  if (flow_name !== null) return 'flow'
  return fingerprint === null ? 'environment' : 'artifact'
}

/** The text on the left of the badge. */
export function chooseLabel({
  label,
  environment_name,
  flow_name,
  fingerprint,
}: Pick<BadgeRow, 'label' | 'environment_name' | 'flow_name' | 'fingerprint'>): string {
  if (label !== null) return label
  const name = environment_name ?? flow_name ?? ''
  return fingerprint === null ? name : `${fingerprint.slice(0, 7)} in ${name}`
}
