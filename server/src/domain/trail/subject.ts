// The subject of evidence: an artifact, by its id, or the trail itself, by this one.

export const TRAIL_SUBJECT = '00000000-0000-0000-0000-000000000000'
