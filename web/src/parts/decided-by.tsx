// One of the two persons of a decision, with the time and the reason.
import text_styles from '../ui/text.module.css'
import { RelativeTime } from './time.tsx'

interface DecidedByProps {
  person: string
  at: number
  reason: string
}

export function DecidedBy({ person, at, reason }: DecidedByProps) {
  return (
    <span className={text_styles.whole}>
      {person}, <RelativeTime at={at} />: {reason}
    </span>
  )
}
