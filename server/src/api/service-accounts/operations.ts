// The operations on service accounts and their keys.
import { createServiceAccount } from './create.ts'
import { createServiceAccountKey } from './create-key.ts'
import { deleteServiceAccount } from './delete.ts'
import { getServiceAccount } from './get.ts'
import { getServiceAccountKey } from './get-key.ts'
import { listServiceAccounts } from './list.ts'
import { listServiceAccountKeys } from './list-keys.ts'
import { patchServiceAccount } from './patch.ts'
import { revokeServiceAccountKey } from './revoke-key.ts'
import { rotateServiceAccountKey } from './rotate-key.ts'

export const SERVICE_ACCOUNT_OPERATIONS = [
  createServiceAccount,
  listServiceAccounts,
  getServiceAccount,
  patchServiceAccount,
  deleteServiceAccount,
  createServiceAccountKey,
  listServiceAccountKeys,
  getServiceAccountKey,
  revokeServiceAccountKey,
  rotateServiceAccountKey,
] as const
