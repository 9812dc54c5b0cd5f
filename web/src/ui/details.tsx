// A collapsed section for content that most readers do not need.
import type { ReactNode } from 'react'
import styles from './text.module.css'

export function Details({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className={styles.folded}>
      <summary>{title}</summary>
      {children}
    </details>
  )
}
