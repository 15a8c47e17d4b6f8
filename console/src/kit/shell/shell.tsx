// The frame of all pages: where one is, what there is beside it, and whether the API answers.
import { Burger, Button, Drawer, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useSyncExternalStore } from 'react'
import { type Permissions, useHere } from '../access.tsx'
import { connection } from '../api.ts'
import { useTrees } from '../document/load.ts'
import { audiencesOf, basesOf, pageOf, topOf } from '../document/scope.ts'
import { sectionsOf } from '../document/sections.ts'
import { addressOf, type Tree, titleOf } from '../document/tree.ts'
import { Icon, type IconName } from '../ui/icons.tsx'
import { Notices } from '../ui/notices.tsx'
import { AccountButton, ScopeButton } from './buttons.tsx'
import classes from './shell.module.css'

type NavProps = { to: string; icon?: IconName; label: string; count?: string | undefined; exact?: boolean }

const NavItem = ({ to, icon, label, count, exact = false }: NavProps) => (
  <Link
    to={to}
    className={icon ? classes.link : `${classes.link} ${classes.sub}`}
    activeOptions={{ exact, includeSearch: false }}
  >
    {icon && <Icon name={icon} />}
    <span>{label}</span>
    {count !== undefined && count !== '0' && <span className={classes.count}>{count}</span>}
  </Link>
)

function DataNav({ trees }: { trees: readonly Tree[] }) {
  const { scope, may } = useHere()
  const { pathname } = useLocation()
  const places = topOf(trees, scope).filter(({ node }) => node.get && may(node.get.access))
  const values = places[0]?.values ?? []
  return sectionsOf(places.map(({ node }) => node)).map(([title, nodes]) => {
    const links = nodes.map((node) => ({ node, to: pageOf(addressOf(node, values)) }))
    const items = links.map(({ node, to }) => <NavItem key={node.key} to={to} label={titleOf(node)} />)
    if (scope.kind !== 'tenant') return items
    const isHere = links.some(({ to }) => pathname.endsWith(to) || pathname.includes(`${to}/`))
    return (
      <details key={title} className={classes.group} open={isHere || ['Sales', 'Catalog'].includes(title)}>
        <summary>
          {title}
          <span className={classes.chevron}>
            <Icon name="right" size={14} />
          </span>
        </summary>
        {items}
      </details>
    )
  })
}

function Nav({ count }: { count: string | undefined }) {
  const { scope } = useHere()
  const { trees } = useTrees(audiencesOf(scope))
  const base =
    scope.kind === 'tenant'
      ? `/${scope.tenant.surface}/${scope.tenant.id}`
      : scope.kind === 'platform'
        ? '/platform'
        : ''
  return (
    <nav className={classes.nav} aria-label="Pages">
      <NavItem to={`${base}/attention`} icon="attention" label="Attention" count={count} />
      {scope.kind === 'tenant' && <NavItem to={`${base}/overview`} icon="overview" label="Overview" />}
      {scope.kind === 'tenant' && <NavItem to={`${base}/timeline`} icon="timeline" label="Timeline" />}
      <NavItem to={basesOf(scope).page} icon="data" label="All data" exact />
      {scope.kind === 'tenant' && (
        <NavItem
          to={`${base}/record`}
          icon="settings"
          label={scope.tenant.surface === 'stores' ? 'Store' : 'Business'}
        />
      )}
      <DataNav trees={trees} />
    </nav>
  )
}

// What they open is loaded after the first view is drawn.
const ScopeMenu = lazy(() => import('./menus.tsx').then(({ ScopeMenu }) => ({ default: ScopeMenu })))
const AccountMenu = lazy(() => import('./menus.tsx').then(({ AccountMenu }) => ({ default: AccountMenu })))

function LostBanner() {
  const isLost = useSyncExternalStore(connection.subscribe, connection.read)
  const client = useQueryClient()
  useEffect(() => {
    if (!isLost) return
    const timer = setInterval(() => void connection.look(), 3000)
    return () => {
      clearInterval(timer)
      // It answers again: what could not be read is read now.
      void client.invalidateQueries({
        predicate: ({ queryKey, state }) => queryKey[0] !== 'document' || state.status === 'error',
      })
    }
  }, [isLost, client])
  if (!isLost) return null
  return (
    <div className={classes.lost} role="alert">
      The API does not answer. Trying again every few seconds.
      <Button size="compact-xs" variant="default" onClick={() => void connection.look()}>
        Try now
      </Button>
    </div>
  )
}

type ShellProps = { permissions: Permissions; count: string | undefined; children: ReactNode }

export function Shell({ permissions, count, children }: ShellProps) {
  const [isOpen, drawer] = useDisclosure()
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it
  useEffect(() => drawer.close(), [pathname])
  const side = (place: 'page' | 'drawer') => (
    <div className={classes.side} data-place={place}>
      <div className={classes.top}>
        <Suspense fallback={<ScopeButton permissions={permissions} />}>
          <ScopeMenu permissions={permissions} />
        </Suspense>
      </div>
      <Nav count={count} />
      <div className={classes.bottom}>
        <Suspense fallback={<AccountButton permissions={permissions} />}>
          <AccountMenu permissions={permissions} />
        </Suspense>
      </div>
    </div>
  )
  return (
    <>
      <a href="#main" className={classes.skip}>
        To the content
      </a>
      <LostBanner />
      <div className={classes.frame}>
        {side('page')}
        <header className={classes.head}>
          <Burger size="sm" opened={isOpen} onClick={drawer.toggle} aria-label="Menu" />
          <Text fw={600} truncate dir="auto">
            <HereName />
          </Text>
        </header>
        <main className={classes.main} id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
      <Drawer
        opened={isOpen}
        onClose={drawer.close}
        size={290}
        padding={0}
        closeButtonProps={{ 'aria-label': 'Close', m: 12 }}
      >
        {side('drawer')}
      </Drawer>
      <Notices />
    </>
  )
}

function HereName() {
  const { scope } = useHere()
  return (
    <>{scope.kind === 'tenant' ? scope.tenant.name : scope.kind === 'platform' ? 'Installation' : 'Your account'}</>
  )
}
