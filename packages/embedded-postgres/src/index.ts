// The public interface of the package.
export { type DataDirectoryLock, lockDataDirectory } from './data-directory.ts'
export type { DatabaseAddress } from './database-address.ts'
export {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  findRunningPostgres,
  startEmbeddedPostgres,
} from './embedded.ts'
export { PostgresProblem } from './problem.ts'
