// The menus of the frame: another store or business, colours, the account.
import { Menu, SegmentedControl, Text, TextInput, useMantineColorScheme } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Permissions } from '../access.tsx'
import { countText, useAttention } from '../attention.ts'
import { signOut } from '../session.ts'
import { Icon } from '../ui/icons.tsx'
import { AccountButton, ScopeButton } from './buttons.tsx'

/** How many items wait in a store or business; read while the menu is open. */
function Waiting({ id }: { id: string }) {
  const { data, hasNextPage } = useAttention({ kind: 'account' })
  const count = data?.pages.flatMap(({ items }) => items).filter(({ tenant }) => tenant?.id === id).length ?? 0
  return count > 0 && <b title="Items of Attention"> {countText(count, hasNextPage)}</b>
}

export function ScopeMenu({ permissions }: { permissions: Permissions }) {
  const [words, setWords] = useState('')
  const navigate = useNavigate()
  const { tenants, account } = permissions
  const found = tenants.filter((one) => `${one.name} ${one.key}`.toLowerCase().includes(words.toLowerCase()))
  const go = (to: string) => void navigate({ to })
  return (
    <Menu width={280} position="bottom-start" shadow="md" onClose={() => setWords('')}>
      <Menu.Target>
        <ScopeButton permissions={permissions} />
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
                <Waiting id={tenant.id} />
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

export function AccountMenu({ permissions }: { permissions: Permissions }) {
  const navigate = useNavigate()
  const { email } = permissions.account
  return (
    <Menu width={240} position="top-start" shadow="md">
      <Menu.Target>
        <AccountButton permissions={permissions} />
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
