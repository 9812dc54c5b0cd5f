// Whose keys they are: a person's or a service account's. Both have the same keys at different addresses.
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'

export type ApiKey = Schemas['ApiKey']
export type CreatedApiKey = Schemas['CreatedApiKey']
export type RotatedApiKey = Schemas['RotatedApiKey']
/** A person's has no flows and environments. */
export type NewKey = Schemas['ServiceAccountApiKeyPost']
export type Rotation = Schemas['ApiKeyRotate']

export interface KeyOwner {
  queryKey: readonly string[]
  /** The parts of the path, for the command that makes the first key. */
  address: readonly string[]
  /** Whose flows and environments a key can be limited to; undefined for a person, whose keys are for every organization. */
  org: string | undefined
  list: () => Promise<ApiKey[]>
  create: (key: NewKey) => Promise<CreatedApiKey>
  rotate: (key_id: string, rotation: Rotation) => Promise<RotatedApiKey>
  revoke: (key_id: string) => Promise<unknown>
}

export const ownKeys: KeyOwner = {
  queryKey: ['api-keys', 'own'],
  address: ['user', 'api-keys'],
  org: undefined,
  list: () => unwrap(api.GET('/user/api-keys')),
  create: body => unwrap(api.POST('/user/api-keys', { body })),
  rotate: (key_id, body) =>
    unwrap(api.POST('/user/api-keys/{key_id}/rotate', { params: { path: { key_id } }, body })),
  revoke: key_id => unwrap(api.DELETE('/user/api-keys/{key_id}', { params: { path: { key_id } } })),
}

export function serviceAccountKeys(org: string, name: string): KeyOwner {
  const path = { org, name }
  return {
    queryKey: ['api-keys', 'service-account', org, name],
    address: ['service-accounts', org, name, 'api-keys'],
    org,
    list: () => unwrap(api.GET('/service-accounts/{org}/{name}/api-keys', { params: { path } })),
    create: body => unwrap(api.POST('/service-accounts/{org}/{name}/api-keys', { params: { path }, body })),
    rotate: (key_id, body) =>
      unwrap(
        api.POST('/service-accounts/{org}/{name}/api-keys/{key_id}/rotate', {
          params: { path: { ...path, key_id } },
          body,
        }),
      ),
    revoke: key_id =>
      unwrap(
        api.DELETE('/service-accounts/{org}/{name}/api-keys/{key_id}', {
          params: { path: { ...path, key_id } },
        }),
      ),
  }
}
