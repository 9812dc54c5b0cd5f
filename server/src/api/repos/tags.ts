// GET /repos/{org}/tags: the tags that repositories have.
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { TagChoices } from '../shared/tag-choices.ts'
import { listTagChoices } from '../shared/tag-choices-store.ts'

export const listRepoTags = defineOperation(
  {
    id: 'listRepoTags',
    method: 'GET',
    path: '/repos/{org}/tags',
    tag: 'Repos',
    summary: 'List the tags of repositories',
    description: 'Each key with each of its values once, sorted',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    returns: TagChoices,
    fails: [400, 403],
  },
  async ({ org }, { db }) => ({ tags: [...(await listTagChoices(db, org.org_id, 'repos'))] }),
)
