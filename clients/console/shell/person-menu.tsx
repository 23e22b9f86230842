// Whose console this is: the organization, the person, the theme, and the way out.
import { Button, Menu, Text, useMantineColorScheme } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import {
  IconBuilding,
  IconChevronDown,
  IconDeviceDesktop,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSun,
  IconSwitchHorizontal,
} from '@tabler/icons-react'
import { endSession, signIn, signOut } from '../api/session.ts'
import { words } from '../words/en.ts'
import { showShortcuts } from './shortcuts.tsx'
import { useSession } from './use-session.tsx'

const themes = [
  ['light', words.theme_light, IconSun],
  ['dark', words.theme_dark, IconMoon],
  ['auto', words.theme_system, IconDeviceDesktop],
] as const

export function PersonMenu() {
  const session = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const failed = (error: Error) =>
    notifications.show({ color: 'red', title: words.still_signed_in, message: error.message, role: 'alert' })
  const leave = () => signOut(session).catch(failed)
  const change = () => endSession(session).then(signIn).catch(failed)
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          ml="auto"
          leftSection={<IconBuilding size={15} />}
          rightSection={<IconChevronDown size={14} />}
          aria-label={`${words.signed_in_to} ${session.tenant_id}`}
        >
          {session.tenant_id}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" c="var(--ink)" fw={600} truncate>
            {session.user.name ?? session.user.login}
          </Text>
          <Text size="xs" truncate>
            {session.user.login}
          </Text>
        </Menu.Label>
        <Menu.Item leftSection={<IconSwitchHorizontal size={15} />} onClick={() => void change()}>
          {words.switch_tenant}
        </Menu.Item>
        <Menu.Divider />
        {themes.map(([scheme, label, Icon]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon size={15} />}
            aria-current={colorScheme === scheme}
            fw={colorScheme === scheme ? 650 : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconKeyboard size={15} />} onClick={showShortcuts}>
          {words.shortcuts}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void leave()}>
          {words.sign_out}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
