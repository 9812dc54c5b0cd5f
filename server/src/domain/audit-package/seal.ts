// The seal of an audit package: the leaf by which the log names the package, with its proof. It is added after the
// manifest, because it covers the manifest.

/** The kind of the event, and of its leaf. */
export const ISSUED = 'audit_package_issued'

export const MANIFEST = 'manifest.sha256'
export const SEAL_FOLDER = 'seal/'
export const SEAL_FILES = {
  leaf: 'seal/leaf.json',
  proof: 'seal/leaf.tlog-proof',
  checkpoint: 'seal/checkpoint',
  /** That the log of `seal/checkpoint` continues the log of `log/checkpoint`. */
  consistency: 'seal/consistency.json',
} as const

/** The data of the event. */
export interface Issued {
  /** What it is about, such as `environment`. */
  scope: string
  /** The names that choose it, such as `production`; null if it is about the organization. */
  subject: string | null
  /** The period, as times in UTC; null without a limit. */
  from: string | null
  to: string | null
  format: 'package' | 'pdf' | 'json' | 'csv' | 'yaml'
  /** Of the manifest of a package, or of any other file. */
  sha256: string
}

/** The text of every JSON file in a package. */
export function formatJson(record: unknown): string {
  return `${JSON.stringify(record, null, 2)}\n`
}
