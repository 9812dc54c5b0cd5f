// The tags that resources of a kind have, for filters.
import { Type } from 'typebox'
import { about, Closed } from './wire.ts'

export const TagChoices = Closed('TagChoices', {
  tags: Type.Array(
    Closed('TagChoice', {
      key: Type.String(about('Key of the tag', 'team')),
      value: Type.String(about('One of its values', 'payments')),
    }),
    about('Keys, each with each of its values'),
  ),
})
