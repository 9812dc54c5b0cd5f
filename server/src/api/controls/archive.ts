// POST /controls/{org}/{identifier}/archive: removes a control from the list.
import { defineOperation } from '../operation.ts'
import { changeArchived } from './change-archived.ts'
import { Control, ControlPath } from './wire.ts'

export const archiveControl = defineOperation(
  {
    id: 'archiveControl',
    method: 'POST',
    path: '/controls/{org}/{identifier}/archive',
    tag: 'Controls',
    summary: 'Archive a control',
    description:
      'Removes the control from the list. Its versions and decisions stay, and policies that name it still require ' +
      'decisions. Archiving it again changes nothing.',
    access: 'admin',
    audit: 'control_archived',
    feature: 'controls',
    beta: true,
    params: ControlPath,
    returns: Control,
    fails: [403, 404, 422],
    example: { params: { identifier: 'control-to-archive' } },
  },
  (request, deps) => changeArchived(request, deps, true),
)
