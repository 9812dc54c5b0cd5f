// POST /controls/{org}/{identifier}/unarchive: returns an archived control to the list.
import { defineOperation } from '../operation.ts'
import { changeArchived } from './change-archived.ts'
import { Control, ControlPath } from './wire.ts'

export const unarchiveControl = defineOperation(
  {
    id: 'unarchiveControl',
    method: 'POST',
    path: '/controls/{org}/{identifier}/unarchive',
    tag: 'Controls',
    summary: 'Unarchive a control',
    description: 'Returns the control to the list. Changes nothing if the control is not archived.',
    access: 'admin',
    audit: 'control_unarchived',
    feature: 'controls',
    beta: true,
    params: ControlPath,
    returns: Control,
    fails: [403, 404, 422],
    example: { params: { identifier: 'control-to-unarchive' } },
  },
  (request, deps) => changeArchived(request, deps, false),
)
