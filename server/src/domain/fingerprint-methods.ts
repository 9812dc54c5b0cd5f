// How clients compute fingerprints. All are SHA-256; the method tells what was hashed. Only the client knows, so it
// is stored as stated.

export const FINGERPRINT_METHODS = ['file', 'dir', 'dir-v2', 'oci', 'docker'] as const

export type FingerprintMethod = (typeof FINGERPRINT_METHODS)[number]
