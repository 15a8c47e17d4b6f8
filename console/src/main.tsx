// Starts the console: the session first, then the page of the address.
import '@mantine/core/styles.css'
import './theme.css'
import { Button, localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, StrictMode, Suspense, useEffect, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { permissionsQuery } from './kit/access.tsx'
import { session, signOut, startSession } from './kit/session.ts'
import { SignInAgain, SignInPage } from './kit/shell/sign-in.tsx'
import { Empty } from './kit/ui/ui.tsx'
import { router } from './routes.tsx'
import { theme } from './theme.ts'

// After an upgrade the server has no files of the former build: the page is loaded again, once, if it can be.
const reloadedKey = 'reloaded'
async function loadAgain(): Promise<void> {
  const agoMs = Date.now() - Number(sessionStorage.getItem(reloadedKey))
  const answer = await fetch(location.href, { cache: 'no-store' }).catch(() => undefined)
  if (!answer?.ok || agoMs < 60_000) return
  sessionStorage.setItem(reloadedKey, String(Date.now()))
  location.reload()
}
addEventListener('vite:preloadError', () => void loadAgain())

const client = new QueryClient({
  defaultOptions: {
    // The banner of an API that does not answer looks whether it does, and reads again then.
    queries: { retry: false, networkMode: 'always', staleTime: 5000, refetchOnWindowFocus: true },
    mutations: { networkMode: 'always' },
  },
})

const manager = localStorageColorSchemeManager({ key: 'colours' })

function Session({ children }: { children: ReactNode }) {
  const state = useSyncExternalStore(session.subscribe, session.read)
  const isOut = state.phase === 'signed-out'
  useEffect(() => {
    if (isOut) client.clear()
  }, [isOut])
  if (state.phase === 'starting') return null
  if (state.phase === 'signed-out') return <SignInPage isOpen={state.isOpen ?? false} />
  if (state.phase === 'misplaced')
    return (
      <main>
        <Empty title="The console is not served under this address">{state.detail}</Empty>
      </main>
    )
  if (state.phase === 'unreachable')
    return (
      <main>
        <Empty title="The API cannot be reached">
          <Button onClick={() => void startSession()}>Try again</Button>
        </Empty>
      </main>
    )
  const { account } = client.getQueryData(permissionsQuery.queryKey) ?? {}
  return (
    <>
      {children}
      {state.phase === 'expired' && <SignInAgain email={account?.email ?? ''} leave={() => void signOut()} />}
    </>
  )
}

void startSession()
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={manager}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={client}>
        <Suspense>
          <Session>
            <RouterProvider router={router} />
          </Session>
        </Suspense>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
