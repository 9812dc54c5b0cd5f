// The status of a delivery, by word and colour.
import { Badge } from '@mantine/core'
import { type DeliveryStatus, STATUSES } from './codes.ts'

export function StatusBadge({ status }: { status: DeliveryStatus }) {
  const { word, colour } = STATUSES[status]
  return (
    <Badge miw="max-content" color={colour} variant={status === 'failed' ? 'filled' : 'light'}>
      {word}
    </Badge>
  )
}
