// API schemas of tags.
import { Type } from 'typebox'
import { TAG_KEY } from '../../domain/names.ts'
import { OrgName } from '../shared/fields.ts'
import { about, Closed, OneOf } from '../shared/wire.ts'

const MAX_TAGS = 100

const TagKey = Type.String({ pattern: TAG_KEY, maxLength: 128 })

export const TagPath = Closed('TagPath', {
  org: OrgName,
  resource_type: OneOf(
    ['flow', 'flows', 'env', 'environment', 'environments', 'repo', 'repos', 'control', 'controls'],
    about('Type of the tagged resource', 'flow'),
  ),
  resource_id: Type.String(about('Name of the tagged resource', 'backend-ci')),
})

export const TagPatch = Closed('TagPatch', {
  set_tags: Type.Optional(
    Type.Unsafe<Record<string, string> | null>({
      type: ['object', 'null'],
      propertyNames: TagKey,
      additionalProperties: { type: 'string', maxLength: 1024 },
      maxProperties: MAX_TAGS,
      title: 'TagsToSet',
      ...about('Tags to add or replace, by key', { team: 'payments' }),
    }),
  ),
  remove_tags: Type.Optional(
    Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      maxItems: MAX_TAGS,
      ...about('Keys of the tags to remove', ['owner']),
    }),
  ),
})
