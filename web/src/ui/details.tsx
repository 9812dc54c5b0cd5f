// A collapsed section for content that most readers do not need. The content renders when it is first opened,
// so that its code loads only then.
import { type ReactNode, useState } from 'react'
import styles from './text.module.css'

export function Details({ title, children }: { title: string; children: ReactNode }) {
  const [wasOpened, setWasOpened] = useState(false)
  return (
    <details className={styles.folded} onToggle={() => setWasOpened(true)}>
      <summary>{title}</summary>
      {wasOpened && children}
    </details>
  )
}
