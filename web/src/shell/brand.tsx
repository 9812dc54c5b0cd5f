// The mark and the wordmark: a label with a folded corner, and a W that ends as a tick. `public/favicon.svg` and the
// sign-in pages draw the same mark.
import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { shellTexts as texts } from './texts.ts'

const SIZE = 26

export function Brand() {
  return (
    <Text
      className="brand"
      fw={640}
      fz={17}
      aria-label={texts.product}
      renderRoot={props => <Link to="/" {...props} />}
    >
      <Mark />
      <Text span inherit visibleFrom="xs">
        {texts.product}
      </Text>
    </Text>
  )
}

function Mark() {
  return (
    <svg width={SIZE} height={SIZE} viewBox="0 0 32 32" aria-hidden="true">
      <path d="M7 1h14l10 10v14a6 6 0 0 1-6 6H7a6 6 0 0 1-6-6V7a6 6 0 0 1 6-6z" fill="#3449b6" />
      <path d="M21 1l10 10h-7a3 3 0 0 1-3-3z" fill="#a9b8ff" />
      <path
        d="M6.5 13.5l4 11 4.5-9 4 9 6-11"
        fill="none"
        stroke="#fff"
        strokeWidth="3.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
