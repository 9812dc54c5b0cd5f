// The inputs of all sources of AWS credentials.
import type { Environment } from '../../ci/systems.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { AwsParts, SendToAws } from './client.ts'
import type { AwsSettings } from './config-files.ts'
import type { AwsCredentials } from './sign.ts'

export interface CredentialParts extends AwsParts {
  env: Environment
  settings: AwsSettings
  /** The values of the flags. */
  given: AwsCredentials | undefined
  allows_exec: boolean
  /** Sends without a proxy: for addresses that exist only on this machine. */
  exchange_directly: Exchange
}

export interface SourceParts extends CredentialParts {
  send: SendToAws
}
