// Access of `admin doctor` to the settings, and to everything it tries besides the database and the evidence store.
import type { Provider } from '../signin/oidc.ts'

export interface Examined {
  host: string
  base_url: string | undefined
  tls: object | undefined
  trusted_proxies: readonly unknown[]
  production: boolean
  smtp_url: string | undefined
  oidc_providers: readonly Provider[]
}

/** Outside hosts are reached only through the egress guard. */
export interface Surroundings {
  /** Throws if a setting is bad. */
  readSettings(): Examined
  /** The time of this machine, which is compared with the database's. */
  now(): Date
  connect(host: string, port: number): Promise<{ destroy(): void }>
  /** Asks the provider for its addresses. */
  discover(provider: Provider, callback: string): Promise<void>
}
