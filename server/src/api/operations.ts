// Every operation, in the order of the document. What is not in this list does not exist.
import { archiveFlow } from './flows/archive.ts'
import { getFlow } from './flows/get.ts'
import { listFlows } from './flows/list.ts'
import { putFlow } from './flows/put.ts'
import { putFlowTemplateFile } from './flows/put-template-file.ts'
import { renameFlow } from './flows/rename.ts'
import { getMeta } from './meta/get.ts'
import type { Operation } from './operation.ts'
import { patchTags } from './tags/patch.ts'
import { beginTrail } from './trails/begin.ts'
import { getTrail } from './trails/get.ts'
import { listTrails } from './trails/list.ts'
import { getDefaultOrg } from './users/get-default-org.ts'
import { setDefaultOrg } from './users/set-default-org.ts'

export const operations: readonly Operation[] = [
  putFlow,
  putFlowTemplateFile,
  listFlows,
  getFlow,
  archiveFlow,
  renameFlow,
  beginTrail,
  listTrails,
  getTrail,
  patchTags,
  getDefaultOrg,
  setDefaultOrg,
  getMeta,
]
