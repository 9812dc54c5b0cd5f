// Everything that users of the package import.
export { type DirectoryOptions, fingerprintDirectory } from './dir.ts'
export { type DirectoryV2Options, fingerprintDirectoryV2, WAYBILL_IGNORE_FILE } from './dir-v2.ts'
export { type FileFingerprint, fingerprintFile } from './hash-file.ts'
export { FingerprintProblem, type Reason } from './problem.ts'
export type { FolderFingerprint } from './tree.ts'
