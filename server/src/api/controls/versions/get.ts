// GET /controls/{org}/{identifier}/versions/{version}: one version of a control.
import { defineOperation } from '../../operation.ts'
import { VersionInput } from '../../shared/fields.ts'
import { Closed } from '../../shared/wire.ts'
import { noSuchControl, noSuchVersion } from '../problems.ts'
import { ControlPath } from '../wire.ts'
import { findControlVersion } from './store.ts'
import { ControlVersion, toWire } from './wire.ts'

export const getControlVersion = defineOperation(
  {
    id: 'getControlVersion',
    method: 'GET',
    path: '/controls/{org}/{identifier}/versions/{version}',
    tag: 'Controls',
    summary: 'Get a version of a control',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    params: Closed('ControlVersionPath', {
      ...ControlPath.properties,
      version: VersionInput,
    }),
    returns: ControlVersion,
    fails: [400, 403, 404],
    example: { params: { identifier: 'control-to-read', version: '1' } },
  },
  async ({ params, org }, { db }) => {
    const { identifier, version } = params
    const control = await findControlVersion(db, org.org_id, { identifier, version })
    if (!control) throw noSuchControl(identifier, org.name)
    if (!control.found) throw noSuchVersion(version, identifier)
    return toWire(control.found)
  },
)
