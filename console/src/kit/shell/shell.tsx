// The frame of all pages: where one is, what there is beside it, and whether the API answers.
import { Burger, Button, Drawer, Menu, SegmentedControl, Text, TextInput, useMantineColorScheme } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { audienceOf, basesOf, type Permissions, pageOf, type Scope, type Tenant, useHere } from '../access.tsx'
import { connection } from '../api.ts'
import { treeQuery } from '../document/load.ts'
import { sectionsOf } from '../document/sections.ts'
import { addressOf, type Node, shownBelow, type Tree, titleOf } from '../document/tree.ts'
import { signOut } from '../session.ts'
import { Icon, type IconName } from '../ui/icons.tsx'
import { Notices } from '../ui/notices.tsx'
import classes from './shell.module.css'

type NavProps = {
  to: string
  icon?: IconName
  children: ReactNode
  count?: number | undefined
  isSub?: boolean
  exact?: boolean
}

const NavItem = ({ to, icon, children, count, isSub = false, exact = false }: NavProps) => (
  <Link
    to={to}
    className={isSub ? `${classes.link} ${classes.sub}` : classes.link}
    activeOptions={{ exact, includeSearch: false }}
  >
    {icon && <Icon name={icon} />}
    <span>{children}</span>
    {count !== undefined && count > 0 && <span className={classes.count}>{count}</span>}
  </Link>
)

/** The lists that stand directly below a scope. */
export function topOf(tree: Tree, scope: Scope): { node: Node; values: string[] }[] {
  const { api } = basesOf(scope)
  const values = scope.kind === 'tenant' ? [scope.tenant.id] : []
  const key = scope.kind === 'tenant' ? `/v1/${scope.tenant.surface}/{}` : api
  const root = tree.nodes.get(key)
  if (!root) return []
  const nodes =
    scope.kind === 'account'
      ? root.children.filter((one) => ['accounts', 'stores', 'businesses', 'erasures'].includes(one.segment))
      : [root]
  const within = (node: Node) =>
    shownBelow(node).flatMap((one) => (one.segment === 'me' ? [one, ...shownBelow(one)] : [one]))
  const below = nodes.flatMap((node) => [...(node.kind === 'list' ? [node] : []), ...within(node)])
  return below
    .filter((node) => node.get && !['attention', 'timeline', 'overview', 'readiness'].includes(node.segment))
    .map((node) => ({ node, values }))
}

function DataNav({ tree }: { tree: Tree }) {
  const { scope, may } = useHere()
  const { pathname } = useLocation()
  const places = topOf(tree, scope).filter(({ node }) => node.get && may(node.get.access))
  const values = places[0]?.values ?? []
  return sectionsOf(places.map(({ node }) => node)).map(([title, nodes]) => {
    const links = nodes.map((node) => ({ node, to: pageOf(addressOf(node, values)) }))
    const isHere = links.some(({ to }) => pathname.endsWith(to) || pathname.includes(`${to}/`))
    return (
      <details
        key={title}
        className={classes.group}
        open={isHere || ['Sales', 'Catalog'].includes(title) || scope.kind !== 'tenant'}
      >
        <summary>
          {title}
          <span className={classes.chevron}>
            <Icon name="right" size={14} />
          </span>
        </summary>
        {links.map(({ node, to }) => (
          <NavItem key={node.key} to={to} isSub>
            {titleOf(node)}
          </NavItem>
        ))}
      </details>
    )
  })
}

function Nav({ count }: { count: number | undefined }) {
  const { scope } = useHere()
  const { data: tree } = useQuery(treeQuery(audienceOf(scope)))
  const base =
    scope.kind === 'tenant'
      ? `/${scope.tenant.surface}/${scope.tenant.id}`
      : scope.kind === 'platform'
        ? '/platform'
        : ''
  return (
    <nav className={classes.nav} aria-label="Pages">
      <NavItem to={`${base}/attention`} icon="attention" count={count}>
        Attention
      </NavItem>
      {scope.kind === 'tenant' && (
        <>
          <NavItem to={`${base}/overview`} icon="overview">
            Overview
          </NavItem>
          <NavItem to={`${base}/timeline`} icon="timeline">
            Timeline
          </NavItem>
        </>
      )}
      <NavItem to={basesOf(scope).page} icon="data" exact>
        All data
      </NavItem>
      {scope.kind === 'tenant' && (
        <NavItem to={`${base}/record`} icon="settings">
          {scope.tenant.surface === 'stores' ? 'Store' : 'Business'}
        </NavItem>
      )}
      {tree && <DataNav tree={tree} />}
    </nav>
  )
}

const kindOf = (tenant: Tenant) => (tenant.surface === 'stores' ? 'Store' : 'Business')

function ScopeSwitch({ permissions }: { permissions: Permissions }) {
  const { scope } = useHere()
  const [words, setWords] = useState('')
  const navigate = useNavigate()
  const { tenants, account } = permissions
  const name = scope.kind === 'tenant' ? scope.tenant.name : scope.kind === 'platform' ? 'Installation' : 'Your account'
  const about =
    scope.kind === 'tenant'
      ? `${kindOf(scope.tenant)} · ${scope.tenant.role}`
      : scope.kind === 'platform'
        ? 'Platform administrator'
        : account.email
  const found = tenants.filter((one) => `${one.name} ${one.key}`.toLowerCase().includes(words.toLowerCase()))
  const go = (to: string) => void navigate({ to })
  return (
    <Menu width={280} position="bottom-start" shadow="md" onClose={() => setWords('')}>
      <Menu.Target>
        <button type="button" className={classes.switch} aria-label={`${name}: choose a store or business`}>
          <span className={classes.mark} aria-hidden="true">
            {[...name][0]?.toUpperCase()}
          </span>
          <span>
            <span className={classes.name} dir="auto">
              {name}
            </span>
            <span className={classes.kind}>{about}</span>
          </span>
          <Icon name="down" size={15} />
        </button>
      </Menu.Target>
      <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
        {tenants.length > 8 && (
          <TextInput
            size="xs"
            m={4}
            placeholder="Search"
            aria-label="Search stores and businesses"
            value={words}
            onChange={({ currentTarget }) => setWords(currentTarget.value)}
          />
        )}
        {tenants.length > 1 && (
          <Menu.Item leftSection={<Icon name="attention" />} onClick={() => go('/attention')}>
            Attention of all
          </Menu.Item>
        )}
        {tenants.length > 0 && <Menu.Label>Stores and businesses</Menu.Label>}
        {found.map((tenant) => (
          <Menu.Item
            key={tenant.id}
            leftSection={<Icon name="store" />}
            rightSection={
              <Text size="xs" c="dimmed">
                {tenant.surface === 'stores' ? '' : 'Business'}
                {tenant.status === 'ARCHIVED' ? ' archived' : ''}
              </Text>
            }
            onClick={() => go(`/${tenant.surface}/${tenant.id}/attention`)}
          >
            <span dir="auto">{tenant.name}</span>
          </Menu.Item>
        ))}
        <Menu.Divider />
        {account.platform_administrator && (
          <Menu.Item leftSection={<Icon name="platform" />} onClick={() => go('/platform/attention')}>
            Installation
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Icon name="plus" />} onClick={() => go('/account/data/stores')}>
          New store
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function SchemeSwitch() {
  // Without its transitions: switching them off writes a style element.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label="Colours"
      value={colorScheme}
      onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}
      data={[
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
        { value: 'auto', label: 'System' },
      ]}
    />
  )
}

function AccountMenu({ permissions }: { permissions: Permissions }) {
  const navigate = useNavigate()
  const { email, name } = permissions.account
  return (
    <Menu width={240} position="top-start" shadow="md">
      <Menu.Target>
        <button type="button" className={classes.switch}>
          <Icon name="account" />
          <span className={classes.name} dir="auto">
            {name ?? email}
          </span>
          <span />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label dir="auto">{email}</Menu.Label>
        <Menu.Item leftSection={<Icon name="account" />} onClick={() => void navigate({ to: '/account/data' })}>
          Your account
        </Menu.Item>
        <Menu.Divider />
        <div style={{ padding: '4px 8px 8px' }}>
          <SchemeSwitch />
        </div>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="signOut" />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

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

export function Shell({
  permissions,
  count,
  children,
}: {
  permissions: Permissions
  count: number | undefined
  children: ReactNode
}) {
  const [isOpen, drawer] = useDisclosure()
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it
  useEffect(() => drawer.close(), [pathname])
  const side = (place: 'page' | 'drawer') => (
    <div className={classes.side} data-place={place}>
      <div className={classes.top}>
        <ScopeSwitch permissions={permissions} />
      </div>
      <Nav count={count} />
      <div className={classes.bottom}>
        <AccountMenu permissions={permissions} />
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
