// Events from before the log: their times are claims, and they are provable only since their import.

/** The kind of their leaves. The body has the event's own kind. */
export const HISTORY_IMPORTED = 'history_imported'

/** The progress of an organization's import. */
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

/** The state after a batch: `examined` counts all events of the batch, `imported` those that became leaves. */
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
