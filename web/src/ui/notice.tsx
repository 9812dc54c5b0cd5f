// A short notice that something was done. It is seen for a while, and heard without taking the focus away.
import { useSyncExternalStore } from 'react'
import styles from './notice.module.css'

const SHOWN_MS = 6000

let shown = ''
let ending: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

export function showNotice(sentence: string): void {
  setNotice(sentence)
  clearTimeout(ending)
  ending = setTimeout(() => setNotice(''), SHOWN_MS)
}

function setNotice(sentence: string): void {
  shown = sentence
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** There once, and always: a screen reader listens only to what was there before. */
export function Notice() {
  const sentence = useSyncExternalStore(subscribe, () => shown)
  return (
    <div role="status" aria-live="polite" className={styles.place}>
      {sentence !== '' && <div className={styles.notice}>{sentence}</div>}
    </div>
  )
}
