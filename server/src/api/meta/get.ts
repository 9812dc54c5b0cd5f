// GET /meta: the version, region, limits and default features of this installation.
import { Type } from 'typebox'
import { DEFAULT_FEATURES } from '../../domain/features.ts'
import { LIMITS } from '../limits.ts'
import { defineOperation } from '../operation.ts'
import { Closed, Nullable } from '../shared/wire.ts'

const Meta = Closed('Meta', {
  product: Type.String(),
  version: Type.String({ description: 'Version of the product' }),
  api_version: Type.String(),
  region: Nullable(Type.String()),
  limits: Type.Record(Type.String(), Type.Integer()),
  features: Type.Record(Type.String(), Type.Boolean(), {
    description: 'Features that are enabled for a new organization',
  }),
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
    features: { ...DEFAULT_FEATURES },
  }),
)
