// Renders the app inside its providers.
import './ui/mantine.css'
import './styles.css'
import './contrast.css'
import './print.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api.ts'
import { router } from './router.tsx'
import { keepFocus } from './ui/keep-focus.ts'
import { colorSchemes, readDensity, showDensity } from './ui/preferences.ts'
import { readStyleNonce, theme } from './ui/theme.ts'

// Mantine's dialogs lock scrolling with an inline style and look for its nonce here.
Object.assign(globalThis, { __webpack_nonce__: readStyleNonce() })

showDensity(readDensity())
keepFocus()
const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        colorSchemeManager={colorSchemes}
        getStyleNonce={readStyleNonce}
      >
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
