// The subjects of notifications, as their stores find them.

/** An environment or a flow found by name, locked so that nobody can archive it meanwhile. */
export interface LockedSubject {
  wanted: string
  subject_id: string
  name: string
  archived_at: Date | null
}
