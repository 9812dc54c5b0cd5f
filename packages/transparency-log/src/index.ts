// The public interface of the package.
export { type Checkpoint, formatCheckpoint, parseCheckpoint } from './checkpoint.ts'
export {
  formatVerifierKey,
  generateKey,
  getCosignedTime,
  type KeyType,
  parseVerifierKey,
  readPrivateKey,
  type SignerKey,
  type VerifierKey,
} from './keys.ts'
export {
  formatNote,
  formatSignature,
  type Note,
  type NoteSignature,
  parseNote,
  signNote,
  verifyNote,
} from './note.ts'
export {
  endorse,
  hasQuorum,
  type Policy,
  type PolicyWitness,
  parsePolicy,
} from './policy.ts'
export { LogProblem } from './problem.ts'
export { formatProofFile, type InclusionProof, parseProofFile, provesInclusion } from './proof-file.ts'
export {
  hashRanges,
  isConsistent,
  isIncluded,
  listConsistencyRanges,
  listInclusionRanges,
  proveAppended,
  type ReadSubtrees,
} from './proofs.ts'
export {
  computeTileWidth,
  formatEntries,
  formatTilePath,
  makeTileReader,
  parseEntries,
  parseTilePath,
  type ReadTile,
  TILE_WIDTH,
  type Tile,
} from './tiles.ts'
export {
  appendLeaves,
  combineSubtrees,
  computeRoot,
  EMPTY_PEAKS,
  EMPTY_ROOT,
  getRoot,
  HASH_BYTES,
  hashChildren,
  hashLeaf,
  listSubtrees,
  type Peaks,
  type Subtree,
} from './tree.ts'
export {
  type Cosignature,
  judgeCheckpoint,
  NOTHING_SEEN,
  parseToldSize,
  readCosignature,
  type SeenTree,
  type WitnessAnswer,
} from './witness.ts'
export { formatWitnessRequest, parseWitnessRequest } from './witness-request.ts'
