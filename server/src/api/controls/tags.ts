// GET /controls/{org}/tags: the tags that controls have.
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { TagChoices } from '../shared/tag-choices.ts'
import { listTagChoices } from '../shared/tag-choices-store.ts'

export const listControlTags = defineOperation(
  {
    id: 'listControlTags',
    method: 'GET',
    path: '/controls/{org}/tags',
    tag: 'Controls',
    summary: 'List the tags of controls',
    description: 'Each key with each of its values once, sorted, also those of archived controls',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    returns: TagChoices,
    fails: [400, 403],
  },
  async ({ org }, { db }) => ({ tags: [...(await listTagChoices(db, org.org_id, 'controls'))] }),
)
