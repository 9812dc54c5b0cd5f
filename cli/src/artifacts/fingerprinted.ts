// The input and output of fingerprinting.

export interface FingerprintValues {
  'artifact-type': string | undefined
  exclude: readonly string[]
  'follow-root': boolean
  'from-build-metadata': string | undefined
}

export interface Fingerprinted {
  fingerprint: string
  method: 'file' | 'dir' | 'dir-v2' | 'oci' | 'docker'
  /** The artifact's name for people. */
  name: string
  /** Digests of the same image for individual platforms. */
  alternates: readonly string[]
}
