// What it takes to fingerprint an artifact, and what comes out.

export interface FingerprintValues {
  'artifact-type': string | undefined
  exclude: readonly string[]
  'follow-root': boolean
  'from-build-metadata': string | undefined
}

export interface Fingerprinted {
  fingerprint: string
  method: 'file' | 'dir' | 'dir-v2' | 'oci' | 'docker'
  /** How people call the artifact. */
  name: string
  /** Digests of the same image for single platforms. */
  alternates: readonly string[]
}
