// All pages and their addresses.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  useLocation,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { HereProvider, usePermissions } from './kit/access.tsx'
import { useAttentionCount } from './kit/attention.ts'
import type { Scope } from './kit/document/scope.ts'
import type { Surface } from './kit/document/tree.ts'
import { Shell } from './kit/shell/shell.tsx'
import { parseSearch, stringifySearch } from './kit/ui/links.tsx'
import { Empty, Fault, Loading, NoPage } from './kit/ui/ui.tsx'
import { AttentionPage } from './pages/attention/attention-page.tsx'

const rememberedKey = 'tenant'
const remembered = () => localStorage.getItem(rememberedKey)

/** Everything that is shown of a scope: the frame, and in it the page. */
function Framed({ scope, children }: { scope: Scope; children: ReactNode }) {
  const { data } = usePermissions()
  const count = useAttentionCount(scope)
  if (!data) return null
  return (
    <HereProvider scope={scope} permissions={data}>
      <Shell permissions={data} count={count}>
        {children}
      </Shell>
    </HereProvider>
  )
}

function Root() {
  const { data, error, refetch } = usePermissions()
  if (error && !data) return <Fault error={error} retry={() => void refetch()} />
  return data ? <Outlet /> : <Loading what="Loading your stores" />
}

/** The store or business of last time, the only one, or what concerns all of them. */
function Home() {
  const { data } = usePermissions()
  const tenants = data?.tenants ?? []
  const last = tenants.find(({ id }) => id === remembered()) ?? (tenants.length === 1 ? tenants[0] : undefined)
  if (last) return <Navigate to={`/${last.surface}/${last.id}/attention`} replace />
  if (tenants.length > 0) return <Navigate to="/attention" replace />
  return <Navigate to={data?.account.platform_administrator ? '/platform/attention' : '/account/data/stores'} replace />
}

const tenantScope = (surface: Surface) =>
  function TenantScope() {
    const { data } = usePermissions()
    const { pathname } = useLocation()
    const id = new RegExp(`/${surface}/([^/]+)`).exec(pathname)?.[1]
    const tenant = data?.tenants.find((one) => one.surface === surface && one.id === id)
    if (!tenant)
      return (
        <Framed scope={{ kind: 'account' }}>
          <Empty title="You are no member of this store or business" />
        </Framed>
      )
    localStorage.setItem(rememberedKey, tenant.id)
    return (
      <Framed key={tenant.id} scope={{ kind: 'tenant', tenant }}>
        <Outlet />
      </Framed>
    )
  }

const plainScope = (kind: 'platform' | 'account') =>
  function PlainScope() {
    return (
      <Framed scope={{ kind }}>
        <Outlet />
      </Framed>
    )
  }

const root = createRootRoute({ component: Root, notFoundComponent: NoPage })
const home = createRoute({ getParentRoute: () => root, path: '/', component: Home })

const overview = lazyRouteComponent(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage')
const timeline = lazyRouteComponent(() => import('./pages/timeline/timeline-page.tsx'), 'TimelinePage')
const data = lazyRouteComponent(() => import('./pages/data/data-page.tsx'), 'DataPage')
const record = lazyRouteComponent(() => import('./pages/data/data-page.tsx'), 'TenantRecordPage')

function tenantRoutes(surface: Surface) {
  const parent = createRoute({
    getParentRoute: () => root,
    path: `/${surface}/$tenantId`,
    component: tenantScope(surface),
  })
  const page = (path: string, component: typeof data | typeof AttentionPage) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return parent.addChildren([
    page('/attention', AttentionPage),
    page('/overview', overview),
    page('/timeline', timeline),
    page('/record', record),
    page('/data', data),
    page('/data/$', data),
  ])
}

function plainRoutes(kind: 'platform' | 'account') {
  const parent = createRoute({ getParentRoute: () => root, path: `/${kind}`, component: plainScope(kind) })
  const page = (path: string, component: typeof data | typeof AttentionPage) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return parent.addChildren([
    ...(kind === 'platform' ? [page('/attention', AttentionPage)] : []),
    page('/data', data),
    page('/data/$', data),
  ])
}

const everywhere = createRoute({
  getParentRoute: () => root,
  path: '/attention',
  component: () => (
    <Framed scope={{ kind: 'account' }}>
      <AttentionPage />
    </Framed>
  ),
})

export const router = createRouter({
  basepath: '/console',
  routeTree: root.addChildren([
    home,
    everywhere,
    tenantRoutes('stores'),
    tenantRoutes('businesses'),
    plainRoutes('platform'),
    plainRoutes('account'),
  ]),
  parseSearch,
  stringifySearch,
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: ({ error }) => <Fault error={error} />,
  scrollRestoration: true,
})
