// The subject of a badge event: the environment or the flow whose state the badge shows.

export function nameEventSubject({
  environment_id,
  flow_id,
}: {
  environment_id: string | null
  flow_id: string | null
}): { environment_id?: string; flow_id?: string } {
  if (environment_id !== null) return { environment_id }
  return flow_id === null ? {} : { flow_id }
}
