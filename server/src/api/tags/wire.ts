// API schemas of tags.
import { Type } from 'typebox'
import { TAG_KEY } from '../../domain/names.ts'
import { Closed, OneOf } from '../shared/wire.ts'

const MAX_TAGS = 100

const TagKey = Type.String({ pattern: TAG_KEY, maxLength: 128 })

export const TagPath = Closed('TagPath', {
  org: Type.String(),
  resource_type: OneOf([
    'flow',
    'flows',
    'env',
    'environment',
    'environments',
    'repo',
    'repos',
    'control',
    'controls',
  ]),
  resource_id: Type.String(),
})

export const TagPatch = Closed('TagPatch', {
  set_tags: Type.Optional(
    Type.Unsafe<Record<string, string> | null>({
      type: ['object', 'null'],
      propertyNames: TagKey,
      additionalProperties: { type: 'string', maxLength: 1024 },
      maxProperties: MAX_TAGS,
      title: 'TagsToSet',
    }),
  ),
  remove_tags: Type.Optional(
    Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' }, maxItems: MAX_TAGS }),
  ),
})
