// Events from before the log: claimed for the time that they say, and provable since they were imported.

/** The kind of their leaves. The body has the kind of the event. */
export const HISTORY_IMPORTED = 'history_imported'

/** How far the import of an organization is. */
export interface ImportState {
  last_event_id: string
  imported: number
  first_id: string | null
  last_id: string | null
  kinds: Readonly<Record<string, number>>
}

interface OldEvent {
  event_id: string
  kind: string
}

/** The state after a batch: `examined` are all events of the batch, `imported` those that became leaves. */
export function moveImport(
  state: ImportState,
  examined: readonly OldEvent[],
  imported: readonly OldEvent[],
): ImportState {
  const kinds: Record<string, number> = { ...state.kinds }
  for (const { kind } of imported) kinds[kind] = (kinds[kind] ?? 0) + 1
  return {
    last_event_id: examined.at(-1)?.event_id ?? state.last_event_id,
    imported: state.imported + imported.length,
    first_id: state.first_id ?? imported[0]?.event_id ?? null,
    last_id: imported.at(-1)?.event_id ?? state.last_id,
    kinds,
  }
}
