// The facts about the artifacts of a snapshot, kept in memory while people try one policy draft after another. The
// log of an organization grows with every change, so facts from the same log size are current.
import type { ArtifactToEvaluate } from './evaluate-artifacts.ts'
import type { KnownFlow } from './known-flows-store.ts'

/** About 40 MB, with four attestations for each artifact. */
const MAX_ARTIFACTS = 20_000

export interface FactsOfSnapshot {
  artifacts: readonly ArtifactToEvaluate[]
  known: ReadonlyMap<string, readonly KnownFlow[]>
}

export interface SnapshotKey {
  org_id: string
  environment_id: string
  snapshot_index: number
  /** Epoch and size of the log, read before the facts. */
  log_position: string
}

export interface KeptFacts {
  find(key: SnapshotKey): FactsOfSnapshot | undefined
  keep(key: SnapshotKey, facts: FactsOfSnapshot): void
}

export function makeKeptFacts(max_artifacts: number = MAX_ARTIFACTS): KeptFacts {
  const kept = new Map<string, { log_position: string; facts: FactsOfSnapshot }>()
  let count = 0
  const formatKey = ({ org_id, environment_id, snapshot_index }: SnapshotKey) =>
    `${org_id} ${environment_id} ${snapshot_index}`
  const remove = (key: string) => {
    count -= kept.get(key)?.facts.artifacts.length ?? 0
    kept.delete(key)
  }
  return {
    find(snapshot) {
      const key = formatKey(snapshot)
      const found = kept.get(key)
      if (!found) return undefined
      if (found.log_position !== snapshot.log_position) {
        remove(key)
        return undefined
      }
      // Moves the entry to the end: the least recently used one is evicted first.
      kept.delete(key)
      kept.set(key, found)
      return found.facts
    },
    keep(snapshot, facts) {
      if (facts.artifacts.length > max_artifacts) return
      const key = formatKey(snapshot)
      remove(key)
      kept.set(key, { log_position: snapshot.log_position, facts })
      count += facts.artifacts.length
      for (const oldest of kept.keys()) {
        if (count <= max_artifacts) break
        remove(oldest)
      }
    },
  }
}
