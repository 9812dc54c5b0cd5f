// A toast that confirms an action. Screen readers announce it without moving the focus.
import { useSyncExternalStore } from 'react'
import styles from './notice.module.css'

const SHOWN_MS = 6000

let shown = ''
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

export function showNotice(sentence: string): void {
  setNotice(sentence)
  clearTimeout(timer)
  timer = setTimeout(() => setNotice(''), SHOWN_MS)
}

function setNotice(sentence: string): void {
  shown = sentence
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Always rendered, exactly once: a screen reader announces changes only in a region that it already knows.
 */
export function Notice() {
  const sentence = useSyncExternalStore(subscribe, () => shown)
  return (
    <div role="status" aria-live="polite" className={styles.place}>
      {sentence !== '' && <div className={styles.notice}>{sentence}</div>}
    </div>
  )
}
