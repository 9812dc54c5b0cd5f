// People as search results: each links to the member list, filtered by the name.

import { linkOptions } from '@tanstack/react-router'
import { formatRole } from '../../parts/use-role.ts'
import type { HitGroup } from './hits.ts'
import { searchTexts as texts } from './texts.ts'

export function toPeopleHits(
  org: string,
  people: readonly { user: string; display_name: string; role: string }[] = [],
): HitGroup {
  const hits = people.map(({ user, display_name, role }) => ({
    key: user,
    name: display_name,
    detail: texts.person(user, formatRole(role)),
    place: linkOptions({ to: '/$org/settings/members', params: { org }, search: { search: user } }),
  }))
  return { title: texts.kinds.people, hits }
}
