// The owner of keys: a person or a service account. Both have the same operations at different paths.
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'

export type ApiKey = Schemas['ApiKey']
type CreatedApiKey = Schemas['CreatedApiKey']
type RotatedApiKey = Schemas['RotatedApiKey']
/** A personal key has no flows and environments. */
export type NewKey = Schemas['ServiceAccountApiKeyPost']
type Rotation = Schemas['ApiKeyRotate']

export interface KeyOwner {
  queryKey: readonly string[]
  /** The parts of the API path, for the example command. */
  path: readonly string[]
  /** The org whose flows and environments a key can be limited to; undefined for a person. */
  org: string | undefined
  list: () => Promise<ApiKey[]>
  create: (key: NewKey) => Promise<CreatedApiKey>
  rotate: (key_id: string, rotation: Rotation) => Promise<RotatedApiKey>
  revoke: (key_id: string) => Promise<unknown>
}

export const ownKeys: KeyOwner = {
  queryKey: ['api-keys', 'own'],
  path: ['user', 'api-keys'],
  org: undefined,
  list: () => unwrap(api.GET('/user/api-keys')),
  create: body => unwrap(api.POST('/user/api-keys', { body })),
  rotate: (key_id, body) =>
    unwrap(api.POST('/user/api-keys/{key_id}/rotate', { params: { path: { key_id } }, body })),
  revoke: key_id => unwrap(api.DELETE('/user/api-keys/{key_id}', { params: { path: { key_id } } })),
}

export function buildServiceAccountKeys(org: string, name: string): KeyOwner {
  const path = { org, name }
  return {
    queryKey: ['api-keys', 'service-account', org, name],
    path: ['service-accounts', org, name, 'api-keys'],
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
