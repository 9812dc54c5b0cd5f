// GET /meta: the version, region, limits and default features of this installation.
import { Type } from 'typebox'
import { DEFAULT_FEATURES } from '../../domain/features.ts'
import { ACCEPTED_ENCODINGS } from '../../evidence/decoding.ts'
import { LIMITS } from '../limits.ts'
import { defineOperation } from '../operation.ts'
import { about, Closed, Nullable } from '../shared/wire.ts'

const Meta = Closed('Meta', {
  product: Type.String(about('Name of the product', 'Waybill')),
  version: Type.String(about('Version of the product', '0.1.0')),
  api_version: Type.String(about('Version of the API', '2.0')),
  region: Nullable(Type.String(), about('Region of this installation; null if not configured', null)),
  limits: Type.Record(
    Type.String(),
    Type.Integer(),
    about('The limits of the API, by name', { json_body_bytes: 1_048_576 }),
  ),
  evidence_encodings: Type.Array(
    Type.String(),
    about('How files of attestations may be compressed when they are sent', ['gzip']),
  ),
  features: Type.Record(
    Type.String(),
    Type.Boolean(),
    about('Features that are enabled for a new organization', {}),
  ),
})

export const getMeta = defineOperation(
  {
    id: 'getMeta',
    method: 'GET',
    path: '/meta',
    tag: 'Meta',
    summary: 'Get the product version, region, limits and features',
    access: 'public',
    audit: 'none: reads',
    returns: Meta,
    fails: [],
  },
  async (_request, { version, region }) => ({
    product: 'Waybill',
    version,
    api_version: '2.0',
    region: region ?? null,
    limits: { ...LIMITS },
    evidence_encodings: [...ACCEPTED_ENCODINGS],
    features: { ...DEFAULT_FEATURES },
  }),
)
